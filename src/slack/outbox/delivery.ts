import type { Put, Stored } from '../../storage/store.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { HeldBackError } from '../client/limited-client.ts';
import type { ChannelHold } from './channel-holds.ts';
import type { OutboxRow } from './collections.ts';
import type { DirectCopies } from './direct-copies.ts';
import type { Files } from './files.ts';
import type { PostedMessages } from './posted-messages.ts';
import type { RaiseList } from './raise-list.ts';
import type { Rendered } from './render.ts';
import { rowId } from './rows.ts';

export interface DeliveryPorts {
  readonly posts: PostedMessages;
  readonly files: Files;
  /** Renders the row from the record as it is now; null when there is nothing to show. */
  readonly render: (row: OutboxRow) => Promise<Rendered | null>;
  /** Renders a substitute for what Slack refuses to show; null leaves the place empty. */
  readonly renderRefused: (row: OutboxRow) => Promise<Rendered | null>;
  /** Takes what the conversation refuses, whatever the message. */
  readonly direct: DirectCopies;
  /** Ends the stream of an answer; its ts, or null when there is none. */
  readonly finishStream: (row: OutboxRow) => Promise<string | null>;
  /** See {@link createListRaiser}. */
  readonly raiseList: RaiseList;
  readonly stopping: AbortSignal;
  readonly log: {
    error(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

/** How many unclear failures count as a refusal, since other messages wait behind this one. */
const STUMBLES = 5;

/**
 * Shows rows in Slack: what Slack takes later is tried again, a message that it refuses gets a substitute, and
 * what a conversation refuses goes to people directly.
 */
export function createDelivery(ports: DeliveryPorts) {
  const stumbles = new Map<string, { readonly version: number; readonly count: number }>();

  async function attempt(
    row: Stored<OutboxRow>,
    hold: ChannelHold,
    render: DeliveryPorts['render'],
  ): Promise<number | null> {
    // Only who holds the channel changes it, so it's asked for in one go with what is rendered.
    const copies = ports.direct.mayHaveCopies(row.value);
    copies.catch(() => undefined);
    try {
      await show(ports, row, hold, render);
      stumbles.delete(row.id);
    } catch (error) {
      // It was waiting for the rate limit; the next process to hold the channel delivers it.
      if (error === ports.stopping.reason) return 0;
      const failure = classifyFailure(error);
      const stumbled = failure.kind === 'unclear' ? countStumble(row) : 0;
      if ('waitMs' in failure && stumbled < STUMBLES) {
        const isOurs = error instanceof HeldBackError;
        if (!isOurs)
          ports.log.warn({ row: row.id, error: failure.name }, 'Slack message failed; trying again');
        if (failure.name === 'ratelimited') await hold.turns.rest(failure.waitMs);
        return failure.waitMs;
      }
      if (failure.kind === 'closed') {
        stumbles.delete(row.id);
        return tell(row, ports.direct.refused(row.value, failure.name));
      }
      ports.log.error({ row: row.id, error: failure.name }, 'Slack rejected a message for good');
      if (render !== ports.renderRefused) return attempt(row, hold, ports.renderRefused);
      stumbles.delete(row.id);
      return null;
    }
    return tell(
      row,
      copies.then((hasSome) => (hasSome ? ports.direct.shown(row.value) : undefined)),
    );
  }

  /** Waits for direct messages to be enqueued. What can't be is logged: other messages wait behind this one. */
  async function tell(row: Stored<OutboxRow>, telling: Promise<void>): Promise<number | null> {
    try {
      await telling;
      return null;
    } catch (error) {
      const failure = classifyFailure(error);
      if ('waitMs' in failure) return failure.waitMs;
      ports.log.error({ row: row.id, error: failure.name }, 'failed to tell people directly');
      return null;
    }
  }

  /** Counts unclear failures of this version of the row. */
  function countStumble({ id, version }: Stored<OutboxRow>): number {
    const before = stumbles.get(id);
    const count = before?.version === version ? before.count + 1 : 1;
    stumbles.set(id, { version, count });
    return count;
  }

  /** Shows one row. Null when it is done; else how long to wait before the next attempt, in milliseconds. */
  return (row: Stored<OutboxRow>, hold: ChannelHold): Promise<number | null> =>
    attempt(row, hold, ports.render);
}

/** Shows a row as it is rendered; what is put below the thread's list of calls that wait moves that. */
async function show(
  ports: DeliveryPorts,
  { id, value: row }: Stored<OutboxRow>,
  { lease, turns, notes, unclear, assertHeld }: ChannelHold,
  render: DeliveryPorts['render'],
): Promise<void> {
  const raising = ports.raiseList(row);
  // What is shown first may fail before it's asked for.
  raising.catch(() => undefined);
  const raise = async (ts: string | null): Promise<Put | null> => {
    const raised = (await raising)(ts);
    if (raised !== null) notes.set(raised.id, raised);
    return raised;
  };
  if (row.show.kind === 'files' && render === ports.render) {
    await ports.files.show(row, id, row.show.callKey, { fence: lease.fence, turn: turns.post });
    // Slack doesn't say where in the thread they are.
    await raise(null);
  }
  const rendered = await render(row);
  const streamed = row.show.kind === 'answer' ? await ports.finishStream(row) : null;
  if (streamed !== null) await ports.posts.adopt(row, id, streamed, await raise(streamed));
  const { messages, onlyUpdate, prompts = [] } = rendered ?? { messages: [], onlyUpdate: false };
  const options = { onlyUpdate, mayBePosted: unclear.has(id), notes, assertHeld, turn: turns.post };
  const shown = rendered?.of ?? row.show;
  const key = rowId(shown);
  for (const [index, message] of messages.entries()) {
    const how = { ...options, prompts: index === 0 ? prompts : [] };
    if (row.show.kind === 'raise') {
      const show = { kind: 'request' as const, requestId: row.show.requestId };
      await ports.posts.raise({ ...row, show }, rowId(show), message, { ...how, below: row.show.below });
      continue;
    }
    const ts = await ports.posts.show(
      { ...row, show: shown },
      index === 0 ? key : `${key}:${index}`,
      message,
      how,
    );
    if (ts !== null) await raise(ts);
  }
}
