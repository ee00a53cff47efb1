import type { KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import {
  actions,
  bold,
  button,
  type Message,
  preformatted,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { ELICITATION, SIGN_IN_LINK } from '../texts/cards.ts';
import { ACTIONS } from './action-ids.ts';
import type { NeedView } from './elicitation-cards.ts';

/** The longest `url` that Slack takes for a button. */
const URL_LENGTH = 3000;

/**
 * The sign-in link, whole, with its host named: the blocks of an ephemeral message or modal for one person. A
 * link that isn't https (or http on this machine) is shown but can't be clicked.
 */
export function connectLink(view: NeedView, url: string): Message<KnownBlock> {
  const server = sentence(view.server);
  const host = readHost(url);
  const where = host === null ? SIGN_IN_LINK.noAddress : SIGN_IN_LINK.leadsTo(host);
  return {
    text: notification(`${SIGN_IN_LINK.title(server)}. ${where}`),
    blocks: [
      richText(
        `connect:${view.callKey}`,
        section(
          bold(SIGN_IN_LINK.title(server)),
          text(`${SIGN_IN_LINK.says(server, sentence(view.message))}${where}`),
        ),
        ...pieces(visible(url), 2800).slice(0, 4).map(preformatted),
      ),
      actions(
        `connect-actions:${view.callKey}`,
        ...(host === null
          ? []
          : [button(ACTIONS.connectOpen, SIGN_IN_LINK.open(host), view.callKey, { style: 'primary', url })]),
        button(ACTIONS.connectRetry, ELICITATION.retry, view.callKey),
      ),
    ],
  };
}

/** The host of the link, in ASCII (punycode); null when it must not become a button. */
export function readHost(url: string): string | null {
  if (url.length > URL_LENGTH || !URL.canParse(url)) return null;
  const { protocol, host, hostname, username, password } = new URL(url);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const isWeb = protocol === 'https:' || (protocol === 'http:' && isLocal);
  return isWeb && username === '' && password === '' ? host : null;
}
