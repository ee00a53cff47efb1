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
import { ACTIONS } from './action-ids.ts';

/** What a server asks for before it goes on with a call. */
export interface NeedView {
  /** Opaque, at most 64 characters: the waiting call. */
  readonly callKey: string;
  readonly server: string;
  /** The tool's title; null where nothing but the connection itself waits. */
  readonly title: string | null;
  /** The server's own words. */
  readonly message: string;
  /** The page that it wants opened; shown to the person who is asked, in a modal, and to nobody else. */
  readonly url?: string;
  /** Which of its questions this is: an answer is to the one that was shown, and to no later one. */
  readonly elicitationId?: string;
  /** It wants to put `message` to the model. */
  readonly isForModel?: boolean;
  /** Whom the server asks; `slackUser` is null for somebody who is not in Slack. */
  readonly requester: { readonly name: string; readonly slackUser: string | null };
}

/** The card of a form that a server asks for; the form itself opens in a modal. */
export function elicitationCard(view: NeedView): Message<KnownBlock> {
  const server = sentence(view.server);
  const says = clip(visible(view.message), 2000);
  const asks = `${server} ${elicitationSummary(view)}`;
  const before = ` before it goes on with ${elicitationTitle(view)}:`;
  return {
    text: notification(`${sentence(view.requester.name)}: ${asks}${before} ${clip(oneLine(says), 200)}`),
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

/** The form's card once it is answered, declined or no longer needed: `words` say which and by whom. */
export function elicitationDone(view: NeedView, words: string): Message<KnownBlock> {
  const line = `${sentence(view.server)} asked before it went on with ${elicitationTitle(view)} · `;
  return {
    text: notification(`${line}${words}`),
    blocks: [richText(`need:${view.callKey}`, section(text(line), bold(sentence(words))))],
  };
}

/**
 * The line in the thread while a sign-in is missing: who must connect what. It carries no link: a link to
 * sign in is for one person's eyes, and `connect.link` opens it in a modal for whoever may use it.
 */
export function connectLine(view: NeedView): Message<KnownBlock> {
  const server = sentence(view.server);
  const what = `must connect ${server}: ${elicitationTitle(view)} waits.`;
  return {
    text: notification(`${sentence(view.requester.name)} ${what}`),
    blocks: [
      richText(`need:${view.callKey}`, section(mention(view), text(` ${what}`))),
      connectButtons(view),
    ],
  };
}

/** The line once the sign-in is done or given up. */
export function connectDone(view: NeedView, words: string): Message<KnownBlock> {
  const line = `${sentence(view.server)}: ${sentence(words)}`;
  return { text: notification(line), blocks: [richText(`need:${view.callKey}`, section(text(line)))] };
}

/** By what a modal is known when it comes back. */
export function needKeys({ callKey, elicitationId = '' }: NeedView): Record<string, string> {
  return { callKey, elicitationId };
}

/** What a server wants of the person, after its name. */
export function elicitationSummary({ url, isForModel }: NeedView): string {
  if (isForModel) return 'wants to ask the model';
  return url === undefined ? 'asks' : 'asks you to open a page';
}

export function formButtons({ callKey, url, isForModel }: NeedView): ActionsBlock {
  const open = isForModel ? 'See what it asks…' : url === undefined ? 'Fill in…' : 'See the page…';
  return actions(
    `need-actions:${callKey}`,
    button(ACTIONS.openForm, open, callKey, { style: 'primary' }),
    button(ACTIONS.declineForm, 'Decline', callKey),
  );
}

export function connectButtons({ callKey, server }: NeedView): ActionsBlock {
  return actions(
    `need-actions:${callKey}`,
    button(ACTIONS.connectLink, `Connect ${sentence(server)}…`, callKey, { style: 'primary' }),
    button(ACTIONS.connectRetry, 'Retry', callKey),
  );
}

/** What waits, in words. */
export function elicitationTitle({ title }: Pick<NeedView, 'title'>): string {
  return title === null ? 'what was asked for' : sentence(title);
}

/** Calls the one person whom the server asks, and nobody else; somebody who is not in Slack is named. */
function mention({ requester }: NeedView): RichTextElement {
  return requester.slackUser === null
    ? bold(sentence(requester.name))
    : { type: 'user', user_id: requester.slackUser };
}
