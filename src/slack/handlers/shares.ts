import type { ResultShare } from '../../tools/ports.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { changedShareMessage, withheldMessage } from '../cards/share-messages.ts';
import { parseSlackThreadId, readSlackUser } from '../ids.ts';
import { bestEffort } from './best-effort.ts';
import type { Listeners } from './listeners.ts';
import { type Click, clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { onClick } from './register.ts';

/** Handles the buttons by which people share their own results in a thread, and stop. Nobody else sees them. */
export function registerShares(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.shareResults, async (click, actor) => {
    const threadId = clickedValue(click);
    await ports.shares.share(threadId, actor);
    await confirm(click, threadId, true);
  });

  onClick(on, ports, ACTIONS.stopSharing, async (click, actor) => {
    const threadId = clickedValue(click);
    await ports.shares.stopSharing(threadId, actor);
    await confirm(click, threadId, false);
  });

  /** The list or line that was clicked stays as it was, so what holds now is said below it. */
  async function confirm({ channel, user }: Click, threadId: string, isShared: boolean): Promise<void> {
    if (!channel) return;
    const thread = parseSlackThreadId(threadId);
    const place = channel.id === thread?.channel ? { thread_ts: thread.threadTs } : {};
    const message = changedShareMessage(threadId, isShared);
    const told = ports.client.chat.postEphemeral({
      channel: channel.id,
      user: user.id,
      ...place,
      ...message,
    });
    await bestEffort(ports, told);
  }
}

/** Tells an owner, in the thread and them alone, that their results were withheld from somebody. Never rejects. */
export async function notifyWithheld(
  ports: Pick<HandlerPorts, 'client' | 'log'>,
  share: ResultShare,
): Promise<void> {
  const thread = parseSlackThreadId(share.threadId);
  const user = readSlackUser(share.owner.id);
  if (thread === null || user === null) return;
  const place = { channel: thread.channel, thread_ts: thread.threadTs, user };
  await bestEffort(ports, ports.client.chat.postEphemeral({ ...place, ...withheldMessage(share) }));
}
