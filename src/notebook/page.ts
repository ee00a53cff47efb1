import type { Actor, CallRecord } from '../gate/types.ts';
import { clip, oneLine } from '../presentation/text/clip.ts';
import type { MailboxItem } from '../runs/index.ts';
import { callSection } from './call-section.ts';
import type { Conversation, Prompt } from './collect.ts';
import { entryLine, instant, personWords } from './entry-line.ts';
import { codeSpan, quoted } from './markdown.ts';
import { CALL, PAGE, PLAN, VERIFICATION } from './texts.ts';

/** Longest title, in characters. */
const TITLE_LENGTH = 80;

/** The action of the entries that say that a page was written; they are in no page. */
export const EXPORTED = 'notebook_exported';

interface Numbered {
  readonly call: CallRecord;
  /** Its number on the page, from 1. */
  readonly number: number;
}

/**
 * A conversation as the texts of a page of a lab notebook, in Markdown, part by part. The same record gives the same page.
 * @param reader who alone reads it, so that the results that are theirs alone are in it; null: others do, too.
 */
export function* pageParts(
  conversation: Conversation,
  reader: Actor | null,
): Generator<readonly string[], void> {
  const entries = conversation.entries.filter(({ what }) => what !== EXPORTED);
  const calls = conversation.calls.map((call, index) => ({ call, number: index + 1 }));
  const byCall = Map.groupBy(entries, ({ callId }) => callId);
  const byRun = Map.groupBy(calls, ({ call }): string | null => call.runId);
  const ownServers = new Set(conversation.calls.filter(isOfOwnAccount).map(({ tool }) => tool.server));
  const taken = new Set<Numbered>();
  const { thread } = conversation;
  /** What an agent of a team is given and answers is said to nobody. */
  const isSaidToAll = conversation.isInChannel && thread?.task === undefined;
  /** Whether the agent has read by then what is somebody's own: here, or perhaps where its team or what this is beside did. */
  let hasRead = thread !== null && (thread.graph === 'team' || (thread.besides ?? thread.task) !== undefined);
  /** What the agent told somebody alone may quote it, and is theirs. */
  const isTheirs = ({ id }: Actor): boolean => hasRead && !isSaidToAll && id !== reader?.id;
  yield heading(conversation);
  for (const [index, message] of conversation.messages.entries()) {
    const own = (byRun.get(message.runId) ?? []).filter((one) => !taken.has(one));
    for (const one of own) taken.add(one);
    hasRead ||= own.some(({ call }) => isOfOwnAccount(call));
    yield messageLines(message, index + 1, {
      isWithheld: message.isTask === true && isTheirs(message.actor),
    });
    yield* callSections(own);
    yield answerLines(message, { isWithheld: isTheirs(message.actor) });
  }
  const others = calls.filter((one) => !taken.has(one));
  if (others.length > 0) yield ['', PAGE.noMessage];
  yield* callSections(others);
  const known = new Set(calls.map(({ call }) => call.callId));
  const rest = entries.filter(({ callId }) => callId === null || !known.has(callId));
  if (rest.length > 0) yield ['', VERIFICATION.others, ''];
  for (const entry of rest) yield [entryLine(entry)];
  yield ['', VERIFICATION.heading, '', VERIFICATION.how, '', VERIFICATION.hand, ''];

  function* callSections(own: readonly Numbered[]): Generator<readonly string[], void> {
    const plans = new Set<string>();
    for (const { call, number } of own) {
      const { requestId } = call;
      const isFirst = requestId !== null && !plans.has(requestId);
      if (isFirst) plans.add(requestId);
      const about = byCall.get(call.callId) ?? [];
      const files = conversation.files.get(call) ?? [];
      const prompts = promptsFor(call);
      if (isFirst) yield planLines(requestId);
      const said = isTheirs(call.requester) ? undefined : call.said;
      yield callSection(call, { number, about, files, prompts, said, reader });
    }
  }

  /** What people were asked; of what the requester alone was shown, their own account may have named things. */
  function promptsFor(call: CallRecord): readonly Prompt[] {
    const prompts = conversation.prompts.get(call.callId) ?? [];
    const isTheirs = call.requester.id !== reader?.id && ownServers.has(call.tool.server);
    return isTheirs ? prompts.filter(({ isForOwner }) => !isForOwner) : prompts;
  }

  function planLines(requestId: string): readonly string[] {
    const request = conversation.requests.get(requestId);
    if (request?.plan === undefined) return [];
    const steps = request.callIds.map((id, index) => {
      const found = calls.find(({ call }) => call.callId === id && call.requestId === requestId);
      if (!found) return PLAN.step(index + 1, codeSpan(id), PLAN.gone);
      return PLAN.step(index + 1, actName(found.call), PLAN.ofCall(found.number));
    });
    const later = request.plan.later.map(({ title }) => PLAN.later(codeSpan(title)));
    return ['', PLAN.title(codeSpan(request.plan.title)), '', ...steps, ...later];
  }

  /** A step as people saw it; by its server and tool where that isn't on record. */
  function actName(call: CallRecord): string {
    const shown = promptsFor(call).at(-1)?.headline;
    return codeSpan(shown ?? `${call.tool.server}.${call.tool.name}`);
  }
}

function isOfOwnAccount({ outcome }: CallRecord): boolean {
  return outcome !== null && outcome.status !== 'in_doubt' && outcome.ownAccount === true;
}

/** What a conversation is called: the title of its first plan, or of its task, else the beginning of its first message. */
export function pageTitle({
  requests,
  messages,
  thread,
}: Pick<Conversation, 'requests' | 'messages' | 'thread'>): string {
  const plans = [...requests.values()].toSorted((a, b) => a.createdAt - b.createdAt);
  const planned = plans.find(({ plan }) => plan !== undefined)?.plan?.title;
  return clip(
    oneLine(planned ?? thread?.task?.title ?? messages[0]?.text ?? '').trim() || PAGE.noTitle,
    TITLE_LENGTH,
  );
}

function heading(conversation: Conversation): readonly string[] {
  const { threadId, thread, entries, messages } = conversation;
  const acted = entries.filter(({ actor, what }) => actor.id !== 'system' && what !== EXPORTED);
  const people = [...messages, ...acted].map(({ actor }) => personWords(actor));
  const times = [
    ...messages.map(({ at }) => at),
    ...entries.filter(({ what }) => what !== EXPORTED).map(({ at }) => at),
    ...conversation.calls.map(({ proposedAt }) => proposedAt),
  ];
  return [
    PAGE.title(codeSpan(pageTitle(conversation))),
    '',
    PAGE.about,
    '',
    PAGE.thread(codeSpan(threadId)),
    ...(thread ? [PAGE.agent(codeSpan(thread.graph))] : []),
    PAGE.people([...new Set(people)].join(', ')),
    PAGE.span(instant(Math.min(...times)), instant(Math.max(...times))),
  ];
}

function messageLines(
  { actor, at, text, usedAs, beside }: MailboxItem,
  number: number,
  { isWithheld }: { readonly isWithheld: boolean },
): readonly string[] {
  const notes = [
    ...(usedAs === undefined ? [] : [PAGE.usedAs[usedAs]]),
    ...(beside === undefined ? [] : [PAGE.elsewhere(codeSpan(beside))]),
  ];
  return [
    ...['', PAGE.message(number, personWords(actor)), '', PAGE.at(instant(at)), ''],
    ...(isWithheld ? [CALL.own(personWords(actor))] : quoted(text)),
    ...notes.flatMap((note) => ['', note]),
  ];
}

function answerLines(
  { actor, state, response, stoppedBy, usedAs }: MailboxItem,
  { isWithheld }: { readonly isWithheld: boolean },
): readonly string[] {
  const words = response === null ? [] : isWithheld ? [CALL.own(personWords(actor))] : quoted(response);
  const said = response === null ? [] : ['', ...words];
  if (state === 'answered') return response === null ? [] : ['', PAGE.answer, ...said];
  if (state === 'failed') return ['', PAGE.failed, ...said];
  if (state === 'cancelled') return stoppedBy ? ['', PAGE.stopped(personWords(stoppedBy)), ...said] : said;
  return usedAs === undefined ? ['', PAGE.open] : [];
}
