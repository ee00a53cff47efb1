import type { Gate } from '../../gate/index.ts';
import type { Actor } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MailboxItem } from '../../runs/index.ts';
import { absent, put, type Store } from '../../storage/store.ts';
import { parseSlackPlace, readSlackUser } from '../ids.ts';
import { isDirect } from '../people/approvers.ts';
import type { Directory } from '../people/directory.ts';
import { closedThreads, type OutboxItem, type OutboxRow, outbox, type PersonalItem } from './collections.ts';
import { told } from './notify-approvers.ts';
import type { RenderPorts } from './render.ts';
import { rowId } from './rows.ts';

interface DirectCopiesPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly gate: { readonly calls: Pick<Gate['calls'], 'get'> };
  readonly item: (itemId: string) => Promise<MailboxItem | null>;
  /** Tells the people of a request about it directly. */
  readonly summon: (requestId: string) => Promise<void>;
  /** Wakes the outbox for this channel. */
  readonly wake: (channel: string) => void;
  readonly log: { warn(details: object, message: string): void };
}

/**
 * Direct messages in place of what a conversation refuses for good. What waits goes to those who decide it and
 * to its requester, by the same messages that reach approvers outside a channel; answers, files and what a
 * server needs of its requester go to that one person. Where Slack refuses the direct message too, Home has
 * it. See docs/decisions/0043-what-a-channel-refuses-goes-to-people.md.
 */
export function createDirectCopies({ store, clock, gate, item, summon, wake, log }: DirectCopiesPorts) {
  async function tell(show: OutboxItem): Promise<void> {
    switch (show.kind) {
      case 'request':
      case 'raise':
      case 'reminder':
      case 'summons':
        return summon(show.requestId);
      case 'call':
      case 'turn': {
        const requestId = (await gate.calls.get(show.callKey))?.requestId ?? null;
        return requestId === null ? undefined : summon(requestId);
      }
    }
  }

  async function copy(of: PersonalItem, threadId: string): Promise<void> {
    const recipient = await findRecipient(of);
    const user = readSlackUser(recipient?.id ?? '');
    if (user === null) return;
    const show: OutboxItem = { kind: 'copy', threadId, of };
    const row = { channel: user, threadId: '', at: clock(), show, requester: recipient?.id };
    await store.commit({ put: [put(outbox, rowId(show), row)] });
    wake(user);
  }

  async function findRecipient(of: PersonalItem): Promise<Actor | undefined> {
    if ('itemId' in of) return (await item(of.itemId))?.actor;
    return (await gate.calls.get(of.callKey))?.requester;
  }

  return {
    /** Passes on what the row's conversation refused; `error` is Slack's name for the reason. */
    async refused({ channel, threadId, show }: OutboxRow, error: string): Promise<void> {
      if (parseSlackPlace(threadId) === null || isDirect(threadId)) {
        log.warn({ channel, error }, 'Slack refused a direct message; Home still shows what waits');
        return;
      }
      const noted = await store.commit({
        expect: [absent(closedThreads, threadId)],
        put: [put(closedThreads, threadId, { error })],
      });
      if (noted.committed) {
        log.warn({ threadId, error }, 'Slack refused a message in a channel; people get it directly');
      }
      if (show.kind === 'team') return;
      if ('itemId' in show || show.kind === 'need' || show.kind === 'files') await copy(show, threadId);
      else await tell(show);
    },

    /** Whether what the row shows may have direct copies: its thread has refused messages. */
    async mayHaveCopies({ threadId, show }: OutboxRow): Promise<boolean> {
      return show.kind === 'call' && (await store.get(closedThreads, threadId)) !== null;
    },

    /** Keeps the direct copies of a call current when its thread takes messages again. */
    shown: ({ show }: OutboxRow): Promise<void> => tell(show),
  };
}
export type DirectCopies = ReturnType<typeof createDirectCopies>;

/** What the direct copies say of the place that refused them, and of who got them. */
export function createClosedPlaces({
  store,
  directory,
  gate,
}: {
  readonly store: Store;
  readonly directory: Pick<Directory, 'channelName' | 'nameOf'>;
  readonly gate: { readonly requests: Pick<Gate['requests'], 'get'> };
}): Pick<RenderPorts, 'closed' | 'told'> {
  return {
    async closed(threadId) {
      const thread = parseSlackPlace(threadId);
      const found = thread && (await store.get(closedThreads, threadId));
      if (!found) return null;
      return { name: await directory.channelName(thread.channel), error: found.value.error };
    },
    async told(requestId, user) {
      const record = (await store.get(told, requestId))?.value;
      const users = record?.users ?? [];
      const requester = readSlackUser((await gate.requests.get(requestId))?.requester.id ?? '');
      return {
        names: await Promise.all(users.filter((other) => other !== requester).map(directory.nameOf)),
        callIds: user === requester ? null : (record?.calls[user] ?? []),
      };
    },
  };
}
