import type { ContextBlock, KnownBlock, RichTextDate, RichTextText } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip, clipAtWord, oneLine, quoteText } from '../../presentation/text/clip.ts';
import { headTool, toolName } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import { ARGUMENT_NOTE, CALL_FACTS, FREE_TIME } from '../../presentation/texts.ts';
import type { ApproverSummary } from '../people/types.ts';
import { isOfInbox } from '../text/answered-mail.ts';
import { bold, instantIn, richText, section, smallPrint, text } from '../text/block-kit.ts';
import { CARD, CARD_LINE, REQUEST } from '../texts/cards.ts';
import { type CallSummary, type CallView, shownName } from './call-view.ts';

/**
 * The small last line: the account that it's done with, who asked, who can decide, until when, whose notes are in italics, and the tool's real name. They are
 * sentences, since a mark between them would begin or end a line where it wraps.
 */
export function factsBlock(view: CallView, { source }: Pick<CallSummary, 'source'>): ContextBlock {
  const quoted = source === null ? '' : ` ${CARD.source(source)}`;
  return smallPrint(`facts:${view.callKey}`, [
    text(accountWords([view])),
    text(whoLine(view)),
    ...deadline(view),
    text(`${quoted}${isOfInbox(view.call) ? '' : ` ${nameWords(view)}`}`),
  ]);
}

/** Whether the requester is free then, and as of when: a card may wait for days. */
export function freeTimeBlocks({ callKey, freeTime, resolve }: CallView): KnownBlock[] {
  if (freeTime === null) return [];
  const { kind, words, readAt } = freeTime;
  if (kind === 'busy') return [richText(`busy:${callKey}`, section(text('⚠️ '), bold(words)))];
  const since =
    readAt === null ? [] : [instantIn((time) => `${FREE_TIME.readAt}${time}.`, readAt, resolve.timeZone)];
  return [smallPrint(`free:${callKey}`, [text(`📅 ${words}`), ...since])];
}

/** The tool's real name, and what its server calls it besides. */
function nameWords(view: CallView): string {
  const { titled } = headTool(view.call.tool);
  return `${shownName(view)}${titled === null ? '' : `, ${ARGUMENT_NOTE.titled(titled)}`}`;
}

/** Who asked for it and who can decide; in short, where that's the same person alone. */
function whoLine(view: CallView): string {
  const { call, approvers } = view;
  const isRequester = approvers?.isOnly === true && approvers.who === call.requester.name;
  return [
    ...(isRequester && !call.program && !call.task ? [] : [requestedBy(view)]),
    ...(approvers === null ? [] : approverFacts(approvers)),
  ]
    .map((fact) => `${fact}.`)
    .join(' ');
}

/** Who can decide, unless a line of their own mentions them, and their progress if there is any to tell. */
export function approverFacts({ who, mentioning, isOnly, verb, progress }: ApproverSummary): string[] {
  return [
    ...(mentioning ? [] : [`${isOnly ? CARD_LINE.only : ''}${sentence(who)} ${verb}`]),
    ...(progress === null ? [] : [capitalize(sentence(progress))]),
  ];
}

function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The longest beginning of a task that a card has, in characters. */
const TASK_LENGTH = 120;

/** Who asked for the call: a person, or a program or an agent of a team for one. */
export function requestedBy({ call: { program, requester, task } }: Pick<CallView, 'call'>): string {
  const name = sentence(requester.name);
  if (task) {
    const title = quoteText(clipAtWord(visible(oneLine(task.title)).replace(/\.$/, ''), TASK_LENGTH));
    return CALL_FACTS.requestedForTask(sentence(task.agent), name, title);
  }
  return program ? CALL_FACTS.requestedFor(sentence(program.name), name) : CALL_FACTS.requestedBy(name);
}

function deadline(view: CallView): (RichTextDate | RichTextText)[] {
  const { approvers, expiresAt, resolve } = view;
  if (approvers === null) return [];
  if (expiresAt === null) return [text(` ${CALL_FACTS.neverExpires}`)];
  return [instantIn(CALL_FACTS.expires, expiresAt, resolve.timeZone), text(extendedBy(view))];
}

/** Who extended the deadline that holds now; empty for nobody. */
export function extendedBy({ call, expiresAt }: CallView): string {
  const last = call.timing?.extended.at(-1);
  // A call that was asked about again has another deadline.
  return last?.until !== expiresAt ? '' : CARD_LINE.extendedBy(sentence(last.actor.name));
}

/**
 * The same line for several calls: their accounts, who can decide them where that is the same for all, and until when the first of them
 * can be; then their tools.
 */
export function factsOfAll(blockId: string, calls: readonly CallView[]): ContextBlock {
  const tools = toolNames(calls);
  const pending = calls.filter(({ approvers }) => approvers !== null);
  const [who, ...others] = new Set(pending.map(whoLine));
  const [first] = pending.toSorted((a, b) => (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity));
  const accounts = text(accountWords(calls));
  if (first === undefined) return smallPrint(blockId, [accounts, text(tools)]);
  const isOne = others.length === 0 && who !== undefined;
  const areAlike = pending.every(({ expiresAt }) => expiresAt === first.expiresAt);
  return smallPrint(blockId, [
    accounts,
    text(isOne ? who : `${requestedBy(first)}.`),
    ...(areAlike || first.expiresAt === null
      ? deadline(first)
      : [instantIn(REQUEST.firstExpires, first.expiresAt, first.resolve.timeZone)]),
    text(` ${tools}`),
  ]);
}

/** The tools' real names, each once, with the numbers of their calls if there are several tools. */
function toolNames(calls: readonly CallView[]): string {
  return numbered(calls, ({ call }) => toolName(call.tool));
}

/** The accounts that the calls are done with, as the tools' names; nothing where none is known. */
function accountWords(calls: readonly CallView[]): string {
  const names = numbered(calls, accountName);
  return names === '' ? '' : `${CALL_FACTS.account(names)}. `;
}

/** The longest name of an account that a card has, in characters. */
const ACCOUNT_LENGTH = 100;

/** The account that a call is done with; null where that isn't known. */
export function accountName({ call }: Pick<CallView, 'call'>): string | null {
  const name = call.tool.account?.name ?? null;
  return name === null ? null : clip(sentence(name), ACCOUNT_LENGTH);
}

/** Names, each once, with the numbers of their calls unless all have the same one. */
function numbered(calls: readonly CallView[], nameOf: (view: CallView) => string | null): string {
  const numbers = new Map<string, number[]>();
  for (const [index, view] of calls.entries()) {
    const name = nameOf(view);
    if (name !== null) numbers.set(name, [...(numbers.get(name) ?? []), index + 1]);
  }
  const named = [...numbers].map(([name, own]) =>
    own.length === calls.length ? name : `${name} (${own.join(', ')})`,
  );
  return named.join(', ');
}
