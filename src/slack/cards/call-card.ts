import type { KnownBlock, RichTextElement, RichTextPreformatted } from '@slack/types';
import { actorLabel, hasEarlierDoubt } from '../../gate/types.ts';
import { describeEditedArguments, diffArguments, diffBesideArguments } from '../../presentation/arguments.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { describeRisk } from '../../presentation/risk-text.ts';
import { describeRule } from '../../presentation/rule-text.ts';
import { clip } from '../../presentation/text/clip.ts';
import { CALL_FACTS } from '../../presentation/texts.ts';
import { answerMarks, isBesideReply } from '../text/answer-pair.ts';
import { asOfMail, besideMail, isOfInbox, mailBlocks, mailInList } from '../text/answered-mail.ts';
import {
  bold,
  context,
  instant,
  instantIn,
  type Message,
  preformatted,
  richText,
  section,
  smallPrint,
  text,
} from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { CARD, CARD_LINE } from '../texts/cards.ts';
import { MAIL_APPROVERS, WITHHELD } from '../texts/mail-cards.ts';
import { wasChanged } from '../texts/people.ts';
import {
  argumentsBlock,
  besideRows,
  changeLength,
  changesBlock,
  editedArgumentsBlock,
  fitCard,
  rowLength,
} from './argument-blocks.ts';
import { boxForAll, decisionButtons, endedButtons, entryButtons, isForTheWeb } from './call-buttons.ts';
import {
  type CallSummary,
  type CallView,
  callTitle,
  describeAct,
  describeNeededBy,
  describeUnneeded,
  quotedServer,
  stepLine,
  summarizeCall,
} from './call-view.ts';
import { factsBlock, freeTimeBlocks } from './card-facts.ts';
import { instructionBlocks, saidBlocks } from './quoted-blocks.ts';
import { describeChanges, describeEdits, lineText, stateLine } from './state-line.ts';
import { toolChangeBlocks } from './tool-change-blocks.ts';

/** Characters of a person's words that a corrected call is shown with; the card that they were said on has more. */
const WORDS_LENGTH = 300;

/** The card of one call, in any state. */
export function callCard(view: CallView): Message<KnownBlock> {
  const blocks = view.call.state === 'pending' ? waitingBlocks(view) : decidedBlocks(view);
  return { text: notification(notificationText(view)), blocks };
}

/** The headline, arguments and people of a call, without buttons: for forms. */
export function callBody(view: CallView): KnownBlock[] {
  const summary = summarizeCall(view);
  return [...shownBlocks(view, summary), factsBlock(view, summary)];
}

/** The longest arguments of an entry in a list of calls, in characters. */
const ENTRY_LENGTH = 240;

/**
 * A waiting call as an entry of a list: its headline, where it is (`place`), the first lines of a mail that it answers, its arguments if they are short, and who
 * decides it until when. It can be approved there only if that is all there is to it.
 */
export function callEntry(view: CallView, place: readonly RichTextElement[]): KnownBlock[] {
  const { callKey } = view;
  const summary = summarizeCall(view);
  const isWhole = isShort(view, summary);
  const rows = { rows: summary.rows.rows.map((row) => ({ ...row, continues: true })), hidden: 0 };
  return [
    richText(
      `title:${callKey}`,
      section(...titleLine(view), ...claimLine(view), ...place),
      ...mailInList(view),
    ),
    ...(isWhole ? [argumentsBlock(`arguments:${callKey}`, { ...summary, rows })] : []),
    ...warningBlocks(view),
    factsBlock(view, isWhole ? summary : { source: null }),
    entryButtons(view, { isWhole }),
  ];
}

/** Whether all of a call fits into an entry. A value in a box is for its card. */
function isShort(view: CallView, { rows: { rows }, incomplete }: CallSummary): boolean {
  const length = rows.reduce((sum, row) => sum + rowLength(row), 0);
  const hasBox = rows.some(({ box }) => box);
  return !incomplete && !hasBox && length <= ENTRY_LENGTH && instructionBlocks(view).length === 0;
}

function shownBlocks(view: CallView, summary: CallSummary): KnownBlock[] {
  return [
    richText(`title:${view.callKey}`, section(...titleLine(view), ...askedLine(view))),
    ...mailBlocks(view, { isRepeated: isBesideReply(view) }),
    argumentsBlock(`arguments:${view.callKey}`, summary),
    ...withheldBlocks(view),
    ...ownWords(view),
    ...instructionBlocks(view),
    ...warningBlocks(view),
  ];
}

/** That what the call is about isn't shown here, and where its owner is. */
export function withheldBlocks({ callKey, withheld }: CallView): KnownBlock[] {
  if (withheld === null) return [];
  return [context(`withheld:${callKey}`, WITHHELD(sentence(withheld.name)))];
}

function waitingBlocks(view: CallView): KnownBlock[] {
  const summary = summarizeCall(view);
  const facts = factsBlock(view, summary);
  const changes = [...editBlocks(view, summary), ...correctionBlocks(view, summary)];
  return [...shownBlocks(view, summary), ...changes, decisionButtons(view), facts];
}

/** Who changed the call before people were asked about it as it is now, and how. */
function editBlocks(view: CallView, { rows }: CallSummary): KnownBlock[] {
  const edits = describeEdits(view);
  if (edits === null) return [];
  const { call, callKey } = view;
  const line = context(`edited:${callKey}`, wasChanged(edits));
  if (describeChanges(view) !== null) return [line];
  const { tool, proposedArguments, arguments: now } = call;
  const changes = besideRows(diffBesideArguments(tool, proposedArguments, now, besideMail(view)), rows);
  return [line, changesBlock(`edits:${callKey}`, fitCard(changes, changeLength))];
}

/** How the call differs from the one that a person's words were about. */
function correctionBlocks(
  { call, callKey, corrects, resolve }: CallView,
  { rows }: CallSummary,
): KnownBlock[] {
  if (corrects?.decision?.feedback == null) return [];
  const by = sentence(actorLabel(corrects.decision));
  const words = clip(sentence(corrects.decision.feedback), WORDS_LENGTH);
  const changes = diffBesideArguments(call.tool, corrects.arguments, call.arguments, resolve);
  if (changes.length === 0) return [context(`corrects:${callKey}`, CARD.sameAgain(by, words))];
  return [
    context(`corrects:${callKey}`, CARD.afterFeedback(by, words)),
    changesBlock(`corrected:${callKey}`, fitCard(besideRows(changes, rows), changeLength)),
  ];
}

function decidedBlocks(view: CallView): KnownBlock[] {
  const summary = summarizeCall(view);
  const { block, isCutOff, source } = decidedArguments(view, summary);
  return [
    richText(`title:${view.callKey}`, section(...titleLine(view))),
    block,
    ...ownWords(view),
    richText(
      `state:${view.callKey}`,
      section(...stateLine({ ...view, isBesideArguments: true })),
      ...resultBox(view),
    ),
    ...endedButtons(view, { isCutOff }),
    factsBlock(view, { source }),
  ];
}

/** A short table, list or diff that the call returned, for all to see; what somebody's own account gave is in a form of theirs. */
function resultBox({ call }: CallView): RichTextPreformatted[] {
  const box = boxForAll(call);
  return box === null ? [] : [preformatted(box.text)];
}

/** What the agent says of this call; of several, their list has it. */
function ownWords(view: CallView): KnownBlock[] {
  return view.call.isAlone ? saidBlocks(view.callKey, [view]) : [];
}

/** The arguments, with what an edit has changed, unless the line below says it; and whether that isn't all of them. */
function decidedArguments(view: CallView, summary: CallSummary) {
  const { call, callKey } = view;
  const resolve = besideMail(view);
  const blockId = `arguments:${callKey}`;
  const isEdited = diffArguments(call.tool, call.proposedArguments, call.arguments, resolve).length > 0;
  if (!isEdited || describeChanges(view) !== null)
    return { ...summary, block: argumentsBlock(blockId, summary), isCutOff: summary.incomplete };
  const { tool, proposedArguments, arguments: now } = call;
  const shown = asOfMail(view, describeEditedArguments(tool, proposedArguments, now, resolve));
  const rows = shown.flatMap((one) => ('after' in one ? [one.before, one.after] : [one]));
  const isCutOff = summary.incomplete || rows.some((row) => row?.truncated);
  return { block: editedArgumentsBlock(blockId, shown), isCutOff, source: quotedServer(call, shown) };
}

/** Where the call is approved, if not by a click. */
function webBlocks(view: CallView): KnownBlock[] {
  if (view.call.state !== 'pending' || !isForTheWeb(view)) return [];
  if (view.canSignIn) return [context(`web:${view.callKey}`, CARD.web)];
  return [richText(`web:${view.callKey}`, section(text('⚠️ '), bold(CARD.webMissing)))];
}

/** What to know before deciding a call, besides what it does. */
export function warningBlocks(view: CallView): KnownBlock[] {
  const { call, callKey } = view;
  const why = describeRule(call.verdict);
  const away =
    call.program?.leftAt === undefined
      ? []
      : [
          richText(
            `away:${callKey}`,
            section(text('🔌 '), bold(CARD.programLeft(sentence(call.program.name)))),
          ),
        ];
  const before = hasEarlierDoubt(call)
    ? [richText(`before:${callKey}`, section(text('⚠️ '), bold(CARD.sentBefore)))]
    : [];
  const again =
    call.askedAgain === undefined
      ? []
      : [
          richText(
            `again:${callKey}`,
            section(text('🔁 '), bold(CARD.askedAgain(sentence(call.askedAgain)))),
          ),
        ];
  const changes = toolChangeBlocks(callKey, call);
  const without = describeUnneeded(view).map((words) => richText(`without:${callKey}`, section(bold(words))));
  const needed = describeNeededBy(view).map((words) => context(`needed:${callKey}`, words));
  const rule = why === null ? [] : [context(`rule:${callKey}`, why)];
  return [
    ...markBlocks(view),
    ...freeTimeBlocks(view),
    ...riskBlocks(view),
    ...away,
    ...before,
    ...again,
    ...changes,
    ...without,
    ...needed,
    ...webBlocks(view),
    ...rule,
  ];
}

/** What to know of whom a mail goes to, and of what was drafted together with it. */
function markBlocks(view: CallView): KnownBlock[] {
  return answerMarks(view).map((mark, index) =>
    richText(`mark.${index}:${view.callKey}`, section(text('⚠️ '), bold(mark))),
  );
}

/** What the session had read and written when people were asked, and by which calls. */
function riskBlocks({ call, callKey, resolve }: CallView): KnownBlock[] {
  const risk = call.state === 'pending' ? describeRisk(call) : null;
  if (risk === null) return [];
  const sources = risk.sources.flatMap(({ words, at }) => [
    text(`${words}, `),
    instantIn((time) => `${time}.`, at, resolve.timeZone),
  ]);
  return [
    richText(`risk:${callKey}`, section(text('⚠️ '), bold(risk.summary))),
    ...(sources.length === 0 ? [] : [smallPrint(`sources:${callKey}`, sources)]),
  ];
}

function titleLine(view: CallView): RichTextElement[] {
  return [bold(describeAct(view)), ...stepLine(view)];
}

/** Whom the message asks, below the headline: they are mentioned there. Then who claimed it. */
function askedLine(view: CallView): RichTextElement[] {
  const { mentioning, isOnly, verb } = view.approvers ?? {};
  const asked = mentioning
    ? [text(`\n${isOnly ? CARD_LINE.only : ''}`), ...mentioning, text(` ${verb}`)]
    : [];
  return [...asked, ...claimLine(view)];
}

/** Who claimed the call, and since when. The others may still decide it. */
export function claimLine({ approval: { claim }, resolve }: CallView): RichTextElement[] {
  if (claim === null) return [];
  const from = claim.from ? CARD_LINE.claimedFrom(sentence(claim.from.name)) : '';
  return [
    text('\n👋 '),
    bold(`${CARD_LINE.claimedBy(sentence(claim.by.name))}${from}`),
    text(', '),
    instant(claim.at, resolve.timeZone),
  ];
}

/** The notification for phones and screen readers, complete by itself. */
function notificationText(view: CallView): string {
  const what = callTitle(view);
  if (view.approvers === null) return `${what}: ${lineText(stateLine(view))}`;
  const { approve } = isOfInbox(view.call) ? MAIL_APPROVERS : CARD;
  return `${approve(sentence(view.approvers.who), what)} ${CALL_FACTS.requestedBy(sentence(view.call.requester.name))}.`;
}
