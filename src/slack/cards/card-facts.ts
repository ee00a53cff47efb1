import type { ContextBlock, RichTextDate, RichTextText } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { headTool } from '../../presentation/text/title.ts';
import { ARGUMENT_NOTE, CALL_FACTS } from '../../presentation/texts.ts';
import { instant, smallPrint, text } from '../text/block-kit.ts';
import { CARD_LINE, REQUEST } from '../texts/cards.ts';
import { type CallSummary, type CallView, shownName } from './call-view.ts';

/** The small last line: who asked, who can decide, until when, the tool's real name, and who says what notes quote. */
export function factsBlock(view: CallView, { source }: Pick<CallSummary, 'source'>): ContextBlock {
  const { titled } = headTool(view.call.tool);
  const beside = titled === null ? '' : ` · ${ARGUMENT_NOTE.titled(titled)}`;
  return smallPrint(`facts:${view.callKey}`, [
    text(whoLine(view)),
    ...deadline(view),
    text(` · ${shownName(view)}${beside}${source === null ? '' : CARD_LINE.source(source)}`),
  ]);
}

/** Who asked for it and who can decide; in short, where that's the same person alone. */
function whoLine(view: CallView): string {
  const { call, approvers } = view;
  const { program } = call;
  const requester = requestedBy(view);
  if (approvers === null) return requester;
  const { who, mentioning, isOnly, verb, progress } = approvers;
  const isRequester = isOnly && who === call.requester.name;
  const only = isRequester ? CARD_LINE.onlyFirst : CARD_LINE.only;
  const decides = `${isOnly ? only : ''}${sentence(who)} ${verb}`;
  return [
    ...(isRequester && !program ? [] : [requester]),
    ...(mentioning ? [] : [decides]),
    ...(progress === null ? [] : [sentence(progress)]),
  ].join(' · ');
}

/** Who asked for the call: a person, or a program for one. */
export function requestedBy({ call: { program, requester } }: Pick<CallView, 'call'>): string {
  const name = sentence(requester.name);
  return program ? CALL_FACTS.requestedFor(sentence(program.name), name) : CALL_FACTS.requestedBy(name);
}

function deadline(view: CallView): (RichTextDate | RichTextText)[] {
  const { approvers, expiresAt, resolve } = view;
  if (approvers === null) return [];
  if (expiresAt === null) return [text(` · ${CALL_FACTS.neverExpires}`)];
  return [text(` · ${CALL_FACTS.expires}`), instant(expiresAt, resolve.timeZone), text(extendedBy(view))];
}

function extendedBy({ call, expiresAt }: CallView): string {
  const last = call.timing?.extended.at(-1);
  // A call that was asked about again has another deadline.
  return last?.until !== expiresAt ? '' : CARD_LINE.extendedBy(sentence(last.actor.name));
}

/**
 * The same line for several calls: who can decide them where that is the same for all, and until when the first of them
 * can be.
 */
export function factsOfAll(blockId: string, calls: readonly CallView[], tools: string): ContextBlock {
  const pending = calls.filter(({ approvers }) => approvers !== null);
  const [who, ...others] = new Set(pending.map(whoLine));
  const [first] = pending.toSorted((a, b) => (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity));
  if (first === undefined) return smallPrint(blockId, [text(tools)]);
  const isOne = others.length === 0 && who !== undefined;
  const areAlike = pending.every(({ expiresAt }) => expiresAt === first.expiresAt);
  return smallPrint(blockId, [
    text(isOne ? who : requestedBy(first)),
    ...(areAlike || first.expiresAt === null
      ? deadline(first)
      : [text(REQUEST.firstExpires), instant(first.expiresAt, first.resolve.timeZone)]),
    text(` · ${tools}`),
  ]);
}
