import type { KnownBlock, RichTextElement } from '@slack/types';
import { canBeSettled, hasEarlierDoubt } from '../../gate/types.ts';
import { diffArguments } from '../../presentation/arguments.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { ARGUMENT_NOTE, CALL_FACTS } from '../../presentation/texts.ts';
import { bold, context, instant, type Message, richText, section, text } from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { CARD, CARD_LINE } from '../texts/cards.ts';
import { instructionBlocks } from './approver-blocks.ts';
import { argumentsBlock, changeLength, changesBlock, fitCard } from './argument-blocks.ts';
import { decisionButtons, doubtButtons, isForTheWeb } from './call-buttons.ts';
import { type CallSummary, type CallView, callTitle, summarizeCall } from './call-view.ts';
import { describeChanges, lineText, stateLine } from './state-line.ts';
import { toolChangeBlocks } from './tool-change-blocks.ts';

/** The card of one call, in any state. */
export function callCard(view: CallView): Message<KnownBlock> {
  const blocks = view.call.state === 'pending' ? waitingBlocks(view) : decidedBlocks(view);
  return { text: notification(notificationText(view)), blocks };
}

/**
 * The title, people and arguments of a call, without buttons: for a card, and for lists of calls. `place` is
 * shown below the people, where the location isn't obvious.
 */
export function callBody(view: CallView, place: readonly RichTextElement[] = []): KnownBlock[] {
  const summary = summarizeCall(view);
  return [
    richText(
      `title:${view.callKey}`,
      section(...titleLine(summary), text('\n'), ...approverLine(view), ...place),
    ),
    argumentsBlock(`arguments:${view.callKey}`, summary.rows),
    ...sourceBlocks(view, summary),
    ...instructionBlocks(view),
    ...warningBlocks(view),
  ];
}

function waitingBlocks(view: CallView): KnownBlock[] {
  return [...callBody(view), decisionButtons(view)];
}

function decidedBlocks(view: CallView): KnownBlock[] {
  const summary = summarizeCall(view);
  return [
    richText(`title:${view.callKey}`, section(...titleLine(summary), text('\n'), ...requesterLine(view))),
    argumentsBlock(`arguments:${view.callKey}`, summary.rows),
    ...sourceBlocks(view, summary),
    ...editBlocks(view),
    richText(`state:${view.callKey}`, section(...stateLine(view))),
    ...(canBeSettled(view.call) ? [doubtButtons(view)] : []),
  ];
}

function editBlocks(view: CallView): KnownBlock[] {
  if (describeChanges(view) !== null) return [];
  const { call, callKey, resolve } = view;
  const changes = diffArguments(call.tool, call.proposedArguments, call.arguments, resolve);
  if (changes.length === 0) return [];
  return [
    context(`edited:${callKey}`, CARD.edited),
    changesBlock(`changes:${callKey}`, fitCard(changes, changeLength)),
  ];
}

function sourceBlocks({ callKey }: CallView, { source }: CallSummary): KnownBlock[] {
  return source === null ? [] : [context(`source:${callKey}`, source)];
}

/** Where the call is approved, if not by a click. */
function webBlocks(view: CallView): KnownBlock[] {
  if (view.call.state !== 'pending' || !isForTheWeb(view)) return [];
  if (view.canSignIn) return [context(`web:${view.callKey}`, CARD.web)];
  return [richText(`web:${view.callKey}`, section(text('⚠️ '), bold(CARD.webMissing)))];
}

function warningBlocks(view: CallView): KnownBlock[] {
  const { call, callKey } = view;
  const { rule, reason } = call.verdict;
  const why = `${CARD.rule(sentence(rule))}${reason === null ? '' : CARD.because(sentence(reason))}`;
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
  return [...before, ...again, ...changes, ...webBlocks(view), context(`rule:${callKey}`, why)];
}

function titleLine({ head: { title, titled }, name }: CallSummary): RichTextElement[] {
  const beside = titled === null ? '' : ` · ${ARGUMENT_NOTE.titled(titled)}`;
  return [bold(title === '' ? CARD_LINE.noTitle : title), text(` · ${name}${beside}`)];
}

function approverLine(view: CallView): RichTextElement[] {
  const { approvers, expiresAt, resolve } = view;
  if (approvers === null) return requesterLine(view);
  const { who, mentioning, isOnly, verb, progress } = approvers;
  return [
    ...requesterLine(view),
    text(` · ${isOnly ? CARD_LINE.only : ''}`),
    ...(mentioning ?? [text(sentence(who))]),
    text(` ${verb} · `),
    ...(progress === null ? [] : [bold(sentence(progress)), text(' · ')]),
    ...(expiresAt === null
      ? [text(CALL_FACTS.neverExpires)]
      : [text(CALL_FACTS.expires), instant(expiresAt, resolve.timeZone), ...extendedBy(view)]),
    ...claimLine(view),
  ];
}

/** Who claimed the call, and since when. The others may still decide it. */
function claimLine({ approval: { claim }, resolve }: CallView): RichTextElement[] {
  if (claim === null) return [];
  const from = claim.from ? CARD_LINE.claimedFrom(sentence(claim.from.name)) : '';
  return [
    text('\n👋 '),
    bold(`${CARD_LINE.claimedBy(sentence(claim.by.name))}${from}`),
    text(', '),
    instant(claim.at, resolve.timeZone),
  ];
}

function extendedBy({ call, expiresAt }: CallView): RichTextElement[] {
  const last = call.timing?.extended.at(-1);
  // A call that was asked about again has another deadline.
  return last?.until !== expiresAt ? [] : [text(CARD_LINE.extendedBy(sentence(last.actor.name)))];
}

function requesterLine({ call }: CallView): RichTextElement[] {
  return [text(CALL_FACTS.requestedBy(sentence(call.requester.name)))];
}

/** The notification for phones and screen readers, complete by itself. */
function notificationText(view: CallView): string {
  const what = callTitle(view);
  if (view.approvers === null) return `${what}: ${lineText(stateLine(view))}`;
  return `${CARD.approve(sentence(view.approvers.who), what)} ${CALL_FACTS.requestedBy(sentence(view.call.requester.name))}.`;
}
