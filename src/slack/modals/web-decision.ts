import type { ModalView } from '@slack/types';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { type CallView, callReference, callTitle, stepLine } from '../cards/call-view.ts';
import { actions, bold, button, context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { WEB } from '../texts/modals.ts';
import { modal } from './modal.ts';

/**
 * The modal that leads one person to the page where the call is decided. `url` holds nothing but the call's
 * opaque key; null where people can't sign in there.
 */
export function webLinkModal(view: CallView, url: string | null): ModalView {
  const { callKey } = view;
  const words = url === null ? WEB.notSetUp : WEB.why;
  return modal({
    callbackId: MODALS.web,
    title: WEB.title,
    submit: null,
    metadata: { ...callReference(view) },
    blocks: [
      richText(
        `web:${callKey}`,
        section(bold(callTitle(view)), ...stepLine(view), text(`\n${words}`)),
        ...(url === null ? [] : [preformatted(url)]),
      ),
      ...(url === null ? [] : linkBlocks(callKey, url)),
    ],
  });
}

function linkBlocks(callKey: string, url: string) {
  return [
    actions(
      `web-actions:${callKey}`,
      button(ACTIONS.webOpen, WEB.open(new URL(url).host), callKey, { style: 'primary', url }),
    ),
    context(`web-note:${callKey}`, WEB.whoever),
  ];
}
