import { z } from 'zod';
import type { Gate } from '../../gate/index.ts';
import { type CallRecord, recordKey, retryId } from '../../gate/types.ts';
import type { Mail, NewerMails, PersonInbox } from '../../inbox/ports.ts';
import { isHalfOfAnswer, newsId } from '../text/answer-pair.ts';
import { isOfInbox, readSender } from '../text/answered-mail.ts';
import { NEWER_UNSHOWN } from '../texts/mail-cards.ts';

/** The states of what was accepted of an answer and stands, or may. */
const MAY_STAND: readonly CallRecord['state'][] = ['approved', 'executing', 'succeeded', 'in_doubt'];

/** The meeting that was drafted together with a reply to a mail, or the reply with a meeting; null where there is none. */
export async function findOtherHalf(
  gate: Pick<Gate, 'requests' | 'calls'>,
  call: CallRecord,
): Promise<CallRecord | null> {
  const { requestId, threadId, isAlone } = call;
  if (!isHalfOfAnswer(call)) return null;
  const request = isAlone || requestId === null ? null : await gate.requests.get(requestId);
  const calls = request ? await gate.calls.inThread(threadId, request.callIds) : [];
  const isOther = (one: CallRecord | null) =>
    one !== null && isHalfOfAnswer(one) && one.tool.modelName !== call.tool.modelName;
  const beside = calls.findLast(isOther);
  if (beside) return beside;
  // What was drafted anew stands in a request of its own, beside what was accepted of the one before.
  const ofRun = await gate.calls.ofRun(threadId, call.runId);
  return ofRun.findLast((one) => isOther(one) && MAY_STAND.includes(one.state)) ?? null;
}

/**
 * The reply and the meeting of an answer to a mail that have failed in a run, of which none has succeeded since, perhaps only as it was
 * tried again.
 */
export async function findFailedHalves(
  gate: Pick<Gate, 'calls'>,
  threadId: string,
  runId: string,
): Promise<readonly CallRecord[]> {
  const calls = (await gate.calls.ofRun(threadId, runId)).filter(isHalfOfAnswer);
  const last = [...Map.groupBy(calls, ({ tool }) => tool.modelName).values()].flatMap((own) => {
    const isDone = own.some(({ state }) => state === 'succeeded' || state === 'in_doubt');
    return isDone ? [] : own.slice(-1);
  });
  const failed = last.filter(({ state }) => state === 'failed');
  const again = await gate.calls.inThread(
    threadId,
    failed.map(({ callId }) => retryId(callId)),
  );
  return failed.filter((_call, index) => !again[index]);
}

/** The replies and meetings that wait for a decision in a thread. */
export async function findWaitingHalves(
  gate: {
    readonly requests: Pick<Gate['requests'], 'openIn'>;
    readonly calls: Pick<Gate['calls'], 'inThread'>;
  },
  threadId: string,
): Promise<readonly CallRecord[]> {
  const request = await gate.requests.openIn(threadId);
  const asked = request ? await gate.calls.inThread(threadId, request.callIds) : [];
  return asked
    .filter((call) => call !== null)
    .filter((call) => call.state === 'pending' && isHalfOfAnswer(call));
}

const answersSchema = z.object({ message_id: z.string() });

/**
 * What else was drafted together with a call that is tried again: whether all of it has happened, perhaps only as that was tried again,
 * and the mail that is answered, by its id at its server; null where no draft says.
 */
export async function readAnswer(
  gate: Pick<Gate, 'requests' | 'calls'>,
  call: CallRecord,
): Promise<{ readonly isRestDone: boolean; readonly messageId: string | null }> {
  const { threadId, callId, requestId } = call;
  const request = requestId === null ? null : await gate.requests.get(requestId);
  const calls = request ? await gate.calls.inThread(threadId, request.callIds) : [];
  const others = calls.filter((one) => one !== null && one.callId !== callId && isHalfOfAnswer(one));
  const done = await Promise.all(others.map((one) => one !== null && isDoneByNow(gate, one)));
  // A reply names its mail, and the card of a meeting is given it.
  const named = [call, ...others].flatMap((one) => [one?.arguments, one?.tool.card?.lookUp?.with]);
  const [messageId = null] = named.flatMap((one) => answersSchema.safeParse(one).data?.message_id ?? []);
  return { isRestDone: done.every(Boolean), messageId };
}

/** Whether a call, or one by which it was tried again, has succeeded. */
async function isDoneByNow(gate: Pick<Gate, 'calls'>, call: CallRecord): Promise<boolean> {
  let latest: CallRecord | null | undefined = call;
  while (latest && latest.state !== 'succeeded')
    [latest] = await gate.calls.inThread(call.threadId, [retryId(latest.callId)]);
  return latest?.state === 'succeeded';
}

/** The card of a call's other half, as what is to be shown, while that waits; null elsewhere. */
export async function findOtherCard(
  gate: Pick<Gate, 'requests' | 'calls'>,
  callKey: string,
): Promise<{ readonly kind: 'call'; readonly callKey: string } | null> {
  const call = await gate.calls.get(callKey);
  const other = call && (await findOtherHalf(gate, call));
  return other?.state === 'pending' ? { kind: 'call', callKey: recordKey(other) } : null;
}

/** The newest mail of its conversation that a waiting draft doesn't know; null where there is none. */
export async function findNewerMail(
  inbox: Pick<PersonInbox, 'newerThan'>,
  call: CallRecord,
): Promise<NewerMails | null> {
  if (call.state !== 'pending' || !isHalfOfAnswer(call)) return null;
  return inbox.newerThan(call.threadId, call.proposedAt);
}

/** The same, as what whoever approves the draft has to have been shown: the gate asks for it beside each approval. */
export async function findNews(
  inbox: Pick<PersonInbox, 'newerThan'>,
  call: CallRecord,
): Promise<{ readonly id: string; readonly refusal: string } | null> {
  const newer = await findNewerMail(inbox, call);
  return newer && { id: newsId(newer), refusal: NEWER_UNSHOWN(readSender(newer.from).address) };
}

/** The mail that the agent asked its person about; null for anything but such a question. */
export async function findAskedMail(
  inbox: Pick<PersonInbox, 'answeredAt'>,
  call: CallRecord,
): Promise<Mail | null> {
  if (call.kind !== 'question' || !isOfInbox(call)) return null;
  return inbox.answeredAt(call.threadId, call.proposedAt);
}
