import type { KnownBlock, ModalView } from '@slack/types';
import { type Actor, resultOwner } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { callValue } from '../cards/action-values.ts';
import { type CallView, describeAct, shownName } from '../cards/call-view.ts';
import { actions, bold, button, context, instant, richText, section, text } from '../text/block-kit.ts';
import { andMore } from '../texts/messages.ts';
import { READ_VIEW } from '../texts/modals.ts';
import { modal } from './modal.ts';

/** Reads that are listed, of two blocks each: a view takes 100. */
const LISTED = 40;

/**
 * What was read for an answer: each call with its object and time, and its result a click away. Of what is
 * somebody's own, others see only that it was read.
 */
export function readListModal(reads: readonly CallView[], viewer: Actor): ModalView {
  const listed = reads.slice(0, LISTED).flatMap((view) => readBlocks(view, viewer));
  return modal({
    callbackId: 'read',
    title: READ_VIEW.title,
    submit: null,
    metadata: {},
    blocks: [
      context('intro', reads.length === 0 ? READ_VIEW.gone : READ_VIEW.intro),
      ...listed,
      ...(reads.length > LISTED ? [context('more', andMore(reads.length - LISTED))] : []),
    ],
  });
}

function readBlocks(view: CallView, viewer: Actor): KnownBlock[] {
  const { call, callKey, resolve } = view;
  const at = instant(call.endedAt ?? call.proposedAt, resolve.timeZone);
  const owner = resultOwner(call);
  if (owner !== null && owner.id !== viewer.id) {
    const words = READ_VIEW.private(sentence(owner.name), sentence(call.tool.server));
    return [richText(`read:${callKey}`, section(text(words), text(READ_VIEW.when), at))];
  }
  const what = [bold(describeAct(view)), text(` · ${shownName(view)}`), text(READ_VIEW.when), at];
  return [
    richText(`read:${callKey}`, section(...what)),
    actions(
      `read-actions:${callKey}`,
      button(ACTIONS.result, READ_VIEW.result, callValue({ callKey, digest: call.digest })),
    ),
  ];
}
