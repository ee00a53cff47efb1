import { setTimeout as after } from 'node:timers/promises';
import type { z } from 'zod';
import { callKey } from '../../src/gate/call/digest.ts';
import { envelopeSchema } from '../../src/http/threads/schemas/answers.ts';
import { LOOK, mischiefNote, needsNote } from './model.ts';
import { type ConversationPlan, EDITED_AMOUNT, type EntryPlan, wantedOf } from './plan.ts';
import { API_KEY, type World } from './world.ts';

/** How long a client waits for an answer before it asks again, in milliseconds. */
const ANSWER_WITHIN_MS = 8_000;
const AGAIN_AFTER_MS = 100;

/** The thread's id inside, for a client with the key of the environment. */
const threadIdOf = (thread: string): string => `http:env:${thread}`;

/** A program's whole conversation over HTTP: sends its message until it is answered, and decides what is asked. */
export async function converseOverHttp(world: World, plan: ConversationPlan, signal: AbortSignal) {
  const thread = `chaos-${world.plan.seed}`;
  const entries = plan.messages.flat();
  const words = entries.map(({ entry }) => entry).join(', ');
  const message = {
    thread_id: thread,
    user_request: [
      `Please enter ${words}.`,
      ...[plan.readsFirst ? LOOK : '', needsNote(plan.stepsNeed), mischiefNote(plan.mischief)],
    ].join(' '),
    agent: plan.agent,
  };
  while (!signal.aborted) {
    // The same key each time: a message that was received is not received again.
    const envelope = await post(world, '/run', message, { 'idempotency-key': thread });
    if (envelope?.status === 'success' || envelope?.status === 'error') break;
    const action = envelope?.pending_action;
    if (action?.kind === 'confirmation') {
      for (const call of action.tool_calls) {
        const entry = wantedOf(entries, { callId: call.call_id, arguments: call.arguments });
        if (call.state === 'pending') await decide(world, thread, call, entry);
        else await settle(world, thread, call.call_id, entry);
      }
    }
    await after(AGAIN_AFTER_MS);
  }
  return threadIdOf(thread);
}

async function decide(
  world: World,
  thread: string,
  call: Pick<ShownCall, 'call_id' | 'digest' | 'place' | 'arguments'>,
  { entry, wish, people }: EntryPlan,
): Promise<void> {
  world.note(`a program decides ${entry}: ${wish} × ${people}`);
  const { call_id, digest, place } = call;
  const shown = { call_id, digest, ...(place !== null && { place }) };
  const approve = { ...shown, type: 'approve' };
  const reject = { ...shown, type: 'reject', feedback: 'not now' };
  const edit = { ...shown, type: 'edit', arguments: { ...call.arguments, amount: EDITED_AMOUNT } };
  const words = {
    approve: Array.from({ length: people }, () => approve),
    reject: [reject],
    withdraw: [{ call_id, type: 'ignore' }],
    edit: [edit],
    crowd: Array.from({ length: people }, (_, index) => (index % 2 === 0 ? approve : reject)),
  }[wish];
  await Promise.all(words.map((word) => say(world, thread, call_id, word)));
}

async function settle(world: World, thread: string, callId: string, entry: EntryPlan): Promise<void> {
  if (world.ledger.isBusy(entry.entry)) return;
  const happened = world.ledger.count(entry.entry) > 0;
  const type = happened ? 'happened' : entry.asksAgain ? 'ask_again' : 'not_happened';
  world.note(`a program says of ${entry.entry}: ${type}`);
  await post(world, '/resume', { thread_id: thread, decisions: [{ call_id: callId, type }] });
}

async function say(world: World, thread: string, callId: string, word: object): Promise<void> {
  const envelope = await post(world, '/resume', { thread_id: thread, decisions: [word] });
  if (envelope) world.acknowledgeDecision(callKey(threadIdOf(thread), callId));
}

type Envelope = z.infer<typeof envelopeSchema>;
type ShownCall = Extract<
  NonNullable<Envelope['pending_action']>,
  { kind: 'confirmation' }
>['tool_calls'][number];

/** What was answered; null when nothing was, or a refusal. */
async function post(
  world: World,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Envelope | null> {
  try {
    const response = await fetch(`${world.web.apiUrl()}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const parsed = envelopeSchema.safeParse(await response.json());
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
