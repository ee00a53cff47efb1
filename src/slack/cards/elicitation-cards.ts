import type { ActionsBlock, KnownBlock, RichTextElement } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip, oneLine } from '../../presentation/text/clip.ts';
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
import { ELICITATION } from '../texts/cards.ts';
import { ELICITATION_END } from '../texts/messages.ts';
import { ACTIONS } from './action-ids.ts';

/** What a server needs from a person before it continues with a call. */
export interface NeedView {
  /** The waiting call: opaque, at most 64 characters. */
  readonly callKey: string;
  readonly server: string;
  /** The tool, named as by `nameTool`; null where only a connection is missing. */
  readonly title: string | null;
  /** The server's message, verbatim. */
  readonly message: string;
  /** The page that the server asks to open. Only the person who is asked sees it, in a modal. */
  readonly url?: string;
  /** The server's question: an answer counts for the question that was shown, not for a later one. */
  readonly elicitationId?: string;
  /** Whether this is sampling: the server wants to send `message` to the model. */
  readonly isForModel?: boolean;
  /** Whether the message is for that person alone, and others see this. */
  readonly isHidden: boolean;
  /** The person whom the server asks; `slackUser` is null for somebody who isn't in Slack. */
  readonly requester: { readonly name: string; readonly slackUser: string | null };
}

/** The card for a server's form; the form itself opens in a modal. */
export function elicitationCard(view: NeedView): Message<KnownBlock> {
  const server = sentence(view.server);
  const name = sentence(view.requester.name);
  const says = view.isHidden ? ELICITATION.own(name) : clip(visible(view.message), 2000);
  const asks = `${server} ${elicitationSummary(view)}`;
  const before = ELICITATION.before(elicitationTitle(view));
  return {
    text: notification(`${name}: ${asks}${before} ${clip(oneLine(says), 200)}`),
    blocks: [
      richText(
        `need:${view.callKey}`,
        section(mention(view), bold(`: ${asks}`), text(before)),
        preformatted(says),
      ),
      formButtons(view),
    ],
  };
}

/** The form's card once it is answered, declined or no longer needed; `words` say which and by whom. */
export function elicitationDone(view: NeedView, words: string): Message<KnownBlock> {
  const line = ELICITATION.asked(sentence(view.server), elicitationTitle(view));
  return {
    text: notification(`${line}${words}`),
    blocks: [richText(`need:${view.callKey}`, section(text(line), bold(sentence(words))))],
  };
}

/**
 * The line in the thread while a sign-in is missing: who must connect what. It carries no link: a sign-in
 * link is for one person's eyes, and `connect.link` opens it in a modal for them.
 */
export function connectLine(view: NeedView): Message<KnownBlock> {
  const server = sentence(view.server);
  const what = ELICITATION.mustConnect(server, elicitationTitle(view));
  return {
    text: notification(`${sentence(view.requester.name)} ${what}`),
    blocks: [
      richText(`need:${view.callKey}`, section(mention(view), text(` ${what}`))),
      connectButtons(view),
    ],
  };
}

/** The same line once the sign-in is done or abandoned. */
export function connectDone(
  { callKey, server }: Pick<NeedView, 'callKey' | 'server'>,
  { isConnected }: { readonly isConnected: boolean },
): Message<KnownBlock> {
  const line = (isConnected ? ELICITATION_END.connected : ELICITATION_END.over)(sentence(server));
  return { text: notification(line), blocks: [richText(`need:${callKey}`, section(text(line)))] };
}

/** The metadata keys that identify the modal when it is submitted. */
export function needKeys({ callKey, elicitationId = '' }: NeedView): Record<string, string> {
  return { callKey, elicitationId };
}

/** What the server asks the person to do; follows its name. */
export function elicitationSummary({ url, isForModel }: NeedView): string {
  if (isForModel) return ELICITATION.asksModel;
  return url === undefined ? ELICITATION.asks : ELICITATION.asksForPage;
}

export function formButtons({ callKey, url, isForModel }: NeedView): ActionsBlock {
  const open = isForModel
    ? ELICITATION.seePrompt
    : url === undefined
      ? ELICITATION.fillIn
      : ELICITATION.seePage;
  return actions(
    `need-actions:${callKey}`,
    button(ACTIONS.openForm, open, callKey, { style: 'primary' }),
    button(ACTIONS.declineForm, ELICITATION.decline, callKey),
  );
}

export function connectButtons({ callKey, server }: NeedView): ActionsBlock {
  return actions(
    `need-actions:${callKey}`,
    button(ACTIONS.connectLink, ELICITATION.connect(sentence(server)), callKey, { style: 'primary' }),
    button(ACTIONS.connectRetry, ELICITATION.retry, callKey),
  );
}

/** The waiting call's title. */
export function elicitationTitle({ title }: Pick<NeedView, 'title'>): string {
  return title === null ? ELICITATION.unnamed : sentence(title);
}

/** Mentions the person whom the server asks, and nobody else; somebody who isn't in Slack is named. */
function mention({ requester }: NeedView): RichTextElement {
  return requester.slackUser === null
    ? bold(sentence(requester.name))
    : { type: 'user', user_id: requester.slackUser };
}
