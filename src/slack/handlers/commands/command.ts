import type { Actor } from '../../../gate/types.ts';
import { finalState } from '../../../gate/types.ts';
import { suggestName } from '../../../lib/config-errors/did-you-mean.ts';
import { AppError } from '../../../lib/errors.ts';
import { withTimeout } from '../../../lib/timeout.ts';
import { callTitle } from '../../cards/call-view.ts';
import { helpText, pendingText, plainLine, statusText } from '../../cards/plain-messages.ts';
import { shareList } from '../../cards/share-messages.ts';
import { parseSlackThreadId, slackChannelId } from '../../ids.ts';
import { hasCard } from '../../outbox/enqueue.ts';
import { toActor } from '../../people/actor.ts';
import { CANCEL, SHARES, unknownCommand } from '../../texts/commands.ts';
import { bestEffort } from '../best-effort.ts';
import type { Listeners } from '../listeners.ts';
import { commandSchema } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { refusalText } from '../refusals.ts';
import { historyText } from './history.ts';
import { delegateText, grantsText } from './permissions.ts';
import { policyText } from './policy.ts';
import { openPrompt, promptList } from './prompt.ts';

/** So many letters may be wrong in a command that is guessed, or two of them swapped: “dance” is no cancel. */
const MOST_TYPOS = 1;
const WORDS = [
  'help',
  'status',
  'pending',
  'history',
  'policy',
  'prompt',
  'grants',
  'share',
  'delegate',
  'cancel',
] as const;

/** The most calls that a command lists; Home has them all. */
const LISTED = 100;
/** How long a command may take before its answer is sent separately, in milliseconds: Slack waits 3 s. */
const ANSWER_MS = 2_000;

/** How long the status waits for servers to be retried, in milliseconds. */
const RECONNECT_MS = 1_000;

/**
 * Handles `/countersign help|status|pending|history|policy|prompt|grants|share|delegate|cancel`; only the person who typed it sees
 * the answer.
 */
export function registerCommand(on: Listeners, ports: HandlerPorts): void {
  on.app.command('/countersign', async ({ command, ack, respond }) => {
    const { user_id: user, channel_id: channel, text, trigger_id: triggerId } = commandSchema.parse(command);
    const [, server, name] = /^prompt\s+(\S+)\s+(\S+)$/i.exec(text.trim()) ?? [];
    if (server !== undefined && name !== undefined) {
      await ack();
      return bestEffort(ports, openPrompt(ports, { server, name, channel, triggerId }, user));
    }
    const said = say(text.trim(), user, channel);
    const inTime = await withTimeout(ANSWER_MS, said, null);
    if (inTime) return ack({ response_type: 'ephemeral', ...inTime });
    await ack();
    await bestEffort(ports, respond({ response_type: 'ephemeral', ...(await said) }));
  });

  /** Runs the command; an error becomes the answer. Never rejects. */
  async function say(words: string, user: string, channel: string) {
    try {
      return await answer(words, await toActor(ports, user), channel);
    } catch (error) {
      if (!(error instanceof AppError)) ports.log.error({ err: error }, 'command failed');
      return plainLine(refusalText(error));
    }
  }

  async function answer(words: string, actor: Actor, channel: string) {
    const delegating = /^delegate\b(.*)$/is.exec(words);
    if (delegating) return plainLine(await delegateText(ports, actor, delegating[1] ?? ''));
    const policy = /^policy\b(.*)$/is.exec(words);
    if (policy) return policyText(ports, policy[1] ?? '');
    const history = /^history\b(.*)$/is.exec(words);
    if (history) return historyText(ports, actor, history[1] ?? '');
    const word = words.toLowerCase();
    switch (word) {
      case '':
      case 'help':
        return helpText(ports.bot().name, ports.examples(await ports.tools()));
      case 'prompt':
        return promptList(ports, actor);
      case 'status':
        return status(ports, actor, channel);
      case 'pending':
        return pending(actor);
      case 'grants':
        return grantsText(ports, actor);
      case 'share':
        return share(actor);
      case 'cancel':
        return plainLine(await cancel(ports, actor, channel));
      default:
        return plainLine(unknownCommand(word, suggestName(word.split(/\s/)[0] ?? '', WORDS, MOST_TYPOS)));
    }
  }

  async function pending(actor: Actor) {
    const { calls, isMore } = await ports.gate.calls.inbox(actor.id, LISTED);
    return pendingText({ waiting: await ports.views.calls(calls), isMore, threadUrl: ports.threadUrl });
  }

  async function share(actor: Actor) {
    const shares = await ports.shares.list(actor.id);
    return shares.length === 0 ? plainLine(SHARES.none) : shareList(shares, ports.threadUrl);
  }
}

/** The channel's id; null for a direct message, which has no limits of its own. */
function toChannelId({ bot }: HandlerPorts, channel: string): string | null {
  return channel.startsWith('D') ? null : slackChannelId({ team: bot().teamId, channel });
}

async function status(ports: HandlerPorts, actor: Actor, channel: string) {
  // Whoever asks may have just repaired a server. Each one that is down gets an attempt, one at a time.
  await withTimeout(RECONNECT_MS, ports.reconnect(), null);
  const { calls, isMore } = await ports.gate.calls.inbox(actor.id, LISTED);
  const waiting = await ports.views.calls(calls);
  const asked = await ports.gate.calls.requestedBy(actor.id, LISTED);
  const open = await ports.views.calls(asked.filter((call) => hasCard(call) && finalState(call) === null));
  return statusText({
    servers: ports.servers(actor.id),
    tools: await ports.tools(),
    maxTools: ports.maxTools,
    waiting,
    isMore,
    open,
    use: await ports.use(actor.id, toChannelId(ports, channel)),
    threadUrl: ports.threadUrl,
  });
}

/** Cancels this person's work in this channel: withdraws pending calls, which it names, and stops runs. */
async function cancel({ runs, gate, views }: HandlerPorts, actor: Actor, channel: string): Promise<string> {
  const items = await runs.openItemsByActor(actor.id);
  const running = items.filter((item) => item.state === 'running').map((item) => item.threadId);
  const here = new Set(running.filter((id) => parseSlackThreadId(id)?.channel === channel));
  const asked = here.size === 0 ? [] : await gate.calls.requestedBy(actor.id, LISTED);
  const waiting = await views.calls(
    asked.filter((call) => here.has(call.threadId) && call.state === 'pending'),
  );
  let stopped = 0;
  for (const threadId of here) {
    if (await runs.cancel(threadId, actor)) stopped += 1;
  }
  if (stopped === 0) return CANCEL.nothing;
  return CANCEL.stopped(stopped, waiting.map(callTitle));
}
