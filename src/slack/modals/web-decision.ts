import type { ModalView } from '@slack/types';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { type CallView, callReference, callTitle } from '../cards/call-view.ts';
import { actions, bold, button, context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { modal } from './modal.ts';

const MISSING =
  'Signing in on the web page is not set up, so nobody can approve this. Whoever runs this program has to set PUBLIC_URL, SLACK_CLIENT_ID and SLACK_CLIENT_SECRET.';

/**
 * The modal that leads one person to the page where the call is decided. `url` holds nothing but the call's
 * opaque key; null where people can't sign in there.
 */
export function webLinkModal(view: CallView, url: string | null): ModalView {
  const { callKey } = view;
  const words =
    url === null
      ? MISSING
      : 'It is approved on the web page, where you sign in with Slack first. The page shows all of it.';
  return modal({
    callbackId: MODALS.web,
    title: 'Decide on the web',
    submit: null,
    metadata: { ...callReference(view) },
    blocks: [
      richText(
        `web:${callKey}`,
        section(bold(callTitle(view)), text(`\n${words}`)),
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
      button(ACTIONS.webOpen, `Open ${new URL(url).host}`, callKey, { style: 'primary', url }),
    ),
    context(`web-note:${callKey}`, 'Whoever opens it must sign in, and decides only what they may decide.'),
  ];
}
