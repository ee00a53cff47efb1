import type { KnownBlock, ModalView } from '@slack/types';
import { isOpenDoubt } from '../../gate/types.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { decisionButtons, doubtButtons } from '../cards/call-buttons.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callTitle } from '../cards/call-view.ts';
import {
  approveAllButton,
  bulkApprovalObstacle,
  headline,
  pendingCalls,
  type RequestView,
} from '../cards/request-card.ts';
import { stateLine } from '../cards/state-line.ts';
import { actions, bold, button, context, richText, section, text } from '../text/block-kit.ts';
import { callListTitle, PAGING } from '../texts/modals.ts';
import { modal } from './modal.ts';

/**
 * Calls on one page. A pending call takes up to seven blocks and about 6 kB, so twelve stay well inside a
 * view.
 */
const CALLS_ON_PAGE = 12;

/**
 * The list of all calls of a request, each decidable here. It has Approve all only when every pending call is
 * on this one page. `page` counts from 0; a page that doesn't exist becomes the nearest one that does.
 */
export function moreCallsModal(view: RequestView, page = 0): ModalView {
  const last = Math.max(0, Math.ceil(view.calls.length / CALLS_ON_PAGE) - 1);
  const at = Math.min(Math.max(0, page), last);
  const shown = view.calls.slice(at * CALLS_ON_PAGE, (at + 1) * CALLS_ON_PAGE);
  return modal({
    callbackId: MODALS.calls,
    title: callListTitle(view.calls.length),
    submit: null,
    metadata: { requestKey: view.requestKey, page: at },
    blocks: [
      richText('headline', section(bold(headline(view)))),
      ...shown.flatMap(callBlocks),
      ...pagingBlocks(at, last),
      ...(last === 0 ? allBlocks(view) : []),
    ],
  });
}

function callBlocks(view: CallView): KnownBlock[] {
  if (view.call.state === 'pending' && view.call.kind === 'tool')
    return [{ type: 'divider' }, ...callBody(view), decisionButtons(view)];
  const line = section(bold(callTitle(view)), text('\n'), ...stateLine(view));
  const buttons = isOpenDoubt(view.call) ? [doubtButtons(view)] : [];
  return [{ type: 'divider' }, richText(`title:${view.callKey}`, line), ...buttons];
}

function pagingBlocks(at: number, last: number): KnownBlock[] {
  if (last === 0) return [];
  const back = at > 0 ? [button(`${ACTIONS.requestPage}.back`, PAGING.previous, String(at - 1))] : [];
  const on = at < last ? [button(`${ACTIONS.requestPage}.on`, PAGING.next, String(at + 1))] : [];
  return [context('where', PAGING.page(at + 1, last + 1)), actions('paging', ...back, ...on)];
}

function allBlocks({ requestKey, calls }: RequestView): KnownBlock[] {
  if (pendingCalls(calls).length < 2) return [];
  const why = bulkApprovalObstacle(calls);
  if (why !== null) return [context('one-by-one', why)];
  return [{ type: 'divider' }, actions('all', approveAllButton(requestKey, calls))];
}
