import type { KnownBlock } from '@slack/types';
import type { Actor } from '../../../gate/types.ts';
import { finalState } from '../../../gate/types.ts';
import { suggestName } from '../../../lib/config-errors/did-you-mean.ts';
import { AppError } from '../../../lib/errors.ts';
import { withTimeout } from '../../../lib/timeout.ts';
import { clip, oneLine } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { type MailboxItem, planThreadId } from '../../../runs/index.ts';
import { callTitle } from '../../cards/call-view.ts';
import { helpText, pendingText, plainLine, statusText } from '../../cards/plain-messages.ts';
import { shareList } from '../../cards/share-messages.ts';
import { memoryList } from '../../home/memory.ts';
import { scheduleList } from '../../home/schedules.ts';
import { parseSlackThreadId, readSlackUser, slackChannelId } from '../../ids.ts';
import { hasCard } from '../../outbox/enqueue.ts';
import { toActor } from '../../people/actor.ts';
import type { Message } from '../../text/block-kit.ts';
import {
  CANCEL,
  COMMANDS,
  type CommandName,
  DASHBOARD,
  SHARES,
  unknownCommand,
} from '../../texts/commands.ts';
import { bestEffort } from '../best-effort.ts';
import { inboxText } from '../inbox/command.ts';
import type { Listeners } from '../listeners.ts';
import { commandSchema } from '../payloads.ts';
import type { DashboardLinks, HandlerPorts } from '../ports.ts';
import { refusalText } from '../refusals.ts';
import { scheduleText } from '../schedules/command.ts';
import { documentsText, forgetText, learnText } from './documents.ts';
import { historyText } from './history.ts';
import { notebookText } from './notebook.ts';
import { delegateText, grantsText } from './permissions.ts';
import { policyText } from './policy.ts';
import { openPrompt, promptList } from './prompt.ts';
import { useText } from './use.ts';

/** So many letters may be wrong in a command that is guessed, or two of them swapped: “dance” is no cancel. */
const MOST_TYPOS = 1;

/** The most calls that a command lists; Home has them all. */
const LISTED = 100;
/** How long a command may take before its answer is sent separately, in milliseconds: Slack waits 3 s. */
const ANSWER_MS = 2_000;

/** How long the status waits for servers to be retried, in milliseconds. */
const RECONNECT_MS = 1_000;

/** Handles `/countersign` and its {@link COMMANDS}; only the person who typed it sees the answer. */
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

  /** What each command answers, given what follows it; null where that isn't a command any more. */
  const answers: Readonly<Record<CommandName, Answer>> = {
    help: alone(async () => helpText(ports.bot().name, ports.examples(await ports.tools()))),
    status: alone((actor, channel) => status(ports, actor, channel)),
    pending: alone(pending),
    dashboard: alone(async (actor) => plainLine(await dashboardLine(ports.dashboardLinks, actor))),
    history: (actor, rest) => historyText(ports, actor, rest),
    policy: (_actor, rest) => policyText(ports, rest),
    prompt: alone((actor) => promptList(ports, actor)),
    grants: alone((actor) => grantsText(ports, actor)),
    share: alone(share),
    delegate: async (actor, rest) => plainLine(await delegateText(ports, actor, rest)),
    notebook: (actor, rest, channel) => notebookText(ports, actor, rest, channel),
    learn: async (actor, rest, channel) => plainLine(await learnText(ports, actor, rest, channel)),
    documents: alone((actor, channel) => documentsText(ports, actor, channel)),
    forget: (actor, rest, channel) => forgetText(ports, actor, rest, channel),
    memory: alone(async (actor) => memoryList(await ports.memoryView(actor.id))),
    every: (actor, rest, channel) => scheduleText(ports, 'every', { actor, rest, channel }),
    once: (actor, rest, channel) => scheduleText(ports, 'once', { actor, rest, channel }),
    when: (actor, rest, channel) => scheduleText(ports, 'when', { actor, rest, channel }),
    remind: (actor, rest, channel) => scheduleText(ports, 'remind', { actor, rest, channel }),
    inbox: (actor, rest) => inboxText(ports, { actor, rest }),
    schedules: alone(async (actor) => scheduleList(await ports.schedulesView(actor.id))),
    use: async (_actor, rest, channel) => plainLine(await useText(ports, rest, channel)),
    cancel: alone(async (actor, channel) => plainLine(await cancel(ports, actor, channel))),
  };

  async function answer(words: string, actor: Actor, channel: string) {
    const [, word = '', rest = ''] = /^(\w*)(.*)$/s.exec(words) ?? [];
    const name = words === '' ? 'help' : word.toLowerCase();
    const answered = isCommand(name) ? await answers[name](actor, rest, channel) : null;
    if (answered !== null) return answered;
    const typed = words.toLowerCase();
    const meant = suggestName(typed.split(/\s/)[0] ?? '', Object.keys(COMMANDS), MOST_TYPOS);
    return plainLine(unknownCommand(typed, meant));
  }

  async function pending(actor: Actor) {
    const { calls, isMore } = await ports.gate.calls.inbox(actor.id, LISTED);
    return pendingText({
      waiting: await ports.views.calls(calls, actor),
      isMore,
      threadUrl: ports.threadUrl,
    });
  }

  async function share(actor: Actor) {
    const shares = await ports.shares.list(actor.id);
    return shares.length === 0 ? plainLine(SHARES.none) : shareList(shares, ports.threadUrl);
  }
}

async function dashboardLine({ offer, isLocal }: DashboardLinks, { id }: Actor): Promise<string> {
  const user = readSlackUser(id);
  if (user === null) return DASHBOARD.none;
  const line = DASHBOARD.at(await offer(user));
  return isLocal ? `${line}\n${DASHBOARD.local}` : line;
}

type Answer = (actor: Actor, rest: string, channel: string) => Promise<Message<KnownBlock> | null>;

/** The answer of a command that is followed by nothing. */
function alone(say: (actor: Actor, channel: string) => Promise<Message<KnownBlock>>): Answer {
  return async (actor, rest, channel) => (rest.trim() === '' ? say(actor, channel) : null);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

/** The channel's id; null for a direct message, which has no limits of its own. */
function toChannelId({ bot }: HandlerPorts, channel: string): string | null {
  return channel.startsWith('D') ? null : slackChannelId({ team: bot().teamId, channel });
}

async function status(ports: HandlerPorts, actor: Actor, channel: string) {
  // Whoever asks may have just repaired a server. Each one that is down gets an attempt, one at a time.
  await withTimeout(RECONNECT_MS, ports.reconnect(), null);
  const { calls, isMore } = await ports.gate.calls.inbox(actor.id, LISTED);
  const waiting = await ports.views.calls(calls, actor);
  const asked = await ports.gate.calls.requestedBy(actor.id, LISTED);
  const open = await ports.views.calls(
    asked.filter((call) => hasCard(call) && finalState(call) === null),
    actor,
  );
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

/** How much of a message its name has in an answer, in characters. */
const NAMED = 60;

/** Cancels this person's work in this channel: withdraws pending calls and messages in line, which it names, and stops runs. */
async function cancel({ runs, gate, views }: HandlerPorts, actor: Actor, channel: string): Promise<string> {
  const items = (await runs.openItemsByActor(actor.id)).filter(
    ({ isTask, threadId }) => !isTask && parseSlackThreadId(threadId)?.channel === channel,
  );
  const here = new Set(items.map(({ threadId }) => threadId));
  const asked = here.size === 0 ? [] : await gate.calls.requestedBy(actor.id, LISTED);
  const waiting = await views.calls(
    asked.filter((call) => here.has(planThreadId(call.threadId)) && call.state === 'pending'),
    actor,
  );
  const stopped: string[] = [];
  const dropped: string[] = [];
  for (const threadId of here) {
    // First, as the end of what runs would begin them.
    dropped.push(...(await runs.drop(threadId, actor)).map(nameMessage));
    const running = items.find((item) => item.threadId === threadId && item.state === 'running');
    if (running && (await runs.cancel(threadId, actor))) stopped.push(nameMessage(running));
  }
  if (stopped.length + dropped.length === 0) return CANCEL.nothing;
  return CANCEL.stopped(stopped, dropped, waiting.map(callTitle));
}

function nameMessage({ text }: MailboxItem): string {
  return clip(oneLine(visible(text)), NAMED);
}
