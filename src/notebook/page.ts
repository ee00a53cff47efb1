import type { Actor, CallRecord } from '../gate/types.ts';
import { clip, oneLine } from '../presentation/text/clip.ts';
import type { MailboxItem } from '../runs/index.ts';
import { callSection, isWithheld } from './call-section.ts';
import type { Conversation } from './collect.ts';
import { entryLine, instant, personWords } from './entry-line.ts';
import { codeSpan, fenced } from './markdown.ts';
import { sealPage } from './seal.ts';
import { PAGE, PLAN, VERIFICATION } from './texts.ts';

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
 * A conversation as a page of a lab notebook, in Markdown. The same record gives the same page.
 * @param reader who alone reads it, so that the results that are theirs alone are in it; null: others do, too.
 */
export function createPage(conversation: Conversation, reader: Actor | null): string {
  const { threadId, messages } = conversation;
  const entries = conversation.entries.filter(({ what }) => what !== EXPORTED);
  const calls = conversation.calls.map((call, index) => ({ call, number: index + 1 }));
  const byCall = Map.groupBy(entries, ({ callId }) => callId);
  const byRun = Map.groupBy(calls, ({ call }): string | null => call.runId);
  const taken = new Set<Numbered>();
  const ofMessages = messages.flatMap((message, index) => {
    const own = (byRun.get(message.runId) ?? []).filter((one) => !taken.has(one));
    for (const one of own) taken.add(one);
    return messageSection(message, index + 1, callSections(own));
  });
  const others = calls.filter((one) => !taken.has(one));
  const known = new Set(calls.map(({ call }) => call.callId));
  const rest = entries.filter(({ callId }) => callId === null || !known.has(callId));
  const lines = [
    ...heading(conversation),
    ...ofMessages,
    ...(others.length === 0 ? [] : ['', PAGE.noMessage, ...callSections(others)]),
    ...(rest.length === 0 ? [] : ['', VERIFICATION.others, '', ...rest.map(entryLine)]),
    ...['', VERIFICATION.heading, '', VERIFICATION.how, '', VERIFICATION.hand, ''],
  ];
  return sealPage(lines, {
    ...{ threadId, entries, calls: conversation.calls },
    isWithheld: (call) => isWithheld(call, reader),
  });

  function callSections(own: readonly Numbered[]): readonly string[] {
    const plans = new Set<string>();
    return own.flatMap(({ call, number }) => {
      const { requestId } = call;
      const isFirst = requestId !== null && !plans.has(requestId);
      if (isFirst) plans.add(requestId);
      const about = byCall.get(call.callId) ?? [];
      const files = conversation.files.get(call) ?? [];
      const prompts = conversation.prompts.get(call.callId) ?? [];
      return [
        ...(isFirst ? planLines(requestId) : []),
        ...callSection(call, { number, about, files, prompts, reader }),
      ];
    });
  }

  function planLines(requestId: string): readonly string[] {
    const request = conversation.requests.get(requestId);
    if (request?.plan === undefined) return [];
    const steps = request.callIds.map((id, index) => {
      const found = calls.find(({ call }) => call.callId === id && call.requestId === requestId);
      if (!found) return PLAN.step(index + 1, codeSpan(id), PLAN.gone);
      return PLAN.step(index + 1, actName(found.call), PLAN.ofCall(found.number));
    });
    const later = request.plan.later.map((tool) => PLAN.later(codeSpan(tool)));
    return ['', PLAN.title(codeSpan(request.plan.title)), '', ...steps, ...later];
  }

  /** A step as people saw it; by its server and tool where that isn't on record. */
  function actName({ callId, tool }: CallRecord): string {
    const shown = conversation.prompts.get(callId)?.at(-1)?.headline;
    return codeSpan(shown ?? `${tool.server}.${tool.name}`);
  }
}

/** What a conversation is called: the title of its first plan, else the beginning of its first message. */
export function pageTitle({ requests, messages }: Pick<Conversation, 'requests' | 'messages'>): string {
  const plans = [...requests.values()].toSorted((a, b) => a.createdAt - b.createdAt);
  const planned = plans.find(({ plan }) => plan !== undefined)?.plan?.title;
  return clip(oneLine(planned ?? messages[0]?.text ?? '').trim() || PAGE.noTitle, TITLE_LENGTH);
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

function messageSection(message: MailboxItem, number: number, calls: readonly string[]): readonly string[] {
  const { actor, at, text, usedAs, beside } = message;
  const notes = [
    ...(usedAs === undefined ? [] : [PAGE.usedAs[usedAs]]),
    ...(beside === undefined ? [] : [PAGE.elsewhere(codeSpan(beside))]),
  ];
  return [
    ...['', PAGE.message(number, personWords(actor)), '', PAGE.at(instant(at)), ''],
    ...fenced('text', text),
    ...notes.flatMap((note) => ['', note]),
    ...calls,
    ...answerLines(message),
  ];
}

function answerLines({ state, response, stoppedBy, usedAs }: MailboxItem): readonly string[] {
  const said = response === null ? [] : ['', ...fenced('text', response)];
  if (state === 'answered') return response === null ? [] : ['', PAGE.answer, ...said];
  if (state === 'failed') return ['', PAGE.failed, ...said];
  if (state === 'cancelled') return stoppedBy ? ['', PAGE.stopped(personWords(stoppedBy)), ...said] : said;
  return usedAs === undefined ? ['', PAGE.open] : [];
}
