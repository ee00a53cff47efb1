import type { KnownBlock } from '@slack/types';
import { clip, oneLine } from '../text/clip.ts';
import {
  actions,
  bold,
  button,
  type Message,
  preformatted,
  richText,
  section,
  text,
} from '../text/elements.ts';
import { notification } from '../text/escape.ts';
import { visible } from '../text/visible.ts';
import { ACTIONS } from './actions.ts';
import { sentence } from './outcome-words.ts';

/** What a server asks for before it goes on with a call. */
export interface NeedView {
  /** Opaque, at most 64 characters: the waiting call. */
  readonly callKey: string;
  readonly server: string;
  /** The tool's title. */
  readonly title: string;
  /** The server's own words. */
  readonly message: string;
}

/** The card of a form that a server asks for; the form itself opens in a modal. */
export function elicitationCard(view: NeedView): Message<KnownBlock> {
  const server = sentence(view.server);
  const says = clip(visible(view.message), 2000);
  return {
    text: notification(
      `${server} asks before it goes on with ${sentence(view.title)}: ${clip(oneLine(says), 200)}`,
    ),
    blocks: [
      richText(
        `need:${view.callKey}`,
        section(bold(`${server} asks`), text(` before it goes on with ${sentence(view.title)}:`)),
        preformatted(says),
      ),
      actions(
        `need-actions:${view.callKey}`,
        button(ACTIONS.openForm, 'Fill in…', view.callKey, { style: 'primary' }),
        button(ACTIONS.declineForm, 'Decline', view.callKey),
      ),
    ],
  };
}

/** The form's card once it is answered, declined or no longer needed: `words` say which and by whom. */
export function elicitationDone(view: NeedView, words: string): Message<KnownBlock> {
  const line = `${sentence(view.server)} asked before it went on with ${sentence(view.title)} · `;
  return {
    text: notification(`${line}${words}`),
    blocks: [richText(`need:${view.callKey}`, section(text(line), bold(sentence(words))))],
  };
}

/**
 * The line in the thread while a sign-in is missing. It carries no link: a link to sign in is for one
 * person's eyes, and `connect.link` opens it in a modal for whoever may use it.
 */
export function connectLine(view: NeedView): Message<KnownBlock> {
  const server = sentence(view.server);
  const words = `${sentence(view.title)} waits: ${server} asks you to sign in first.`;
  return {
    text: notification(words),
    blocks: [
      richText(
        `need:${view.callKey}`,
        section(bold(sentence(view.title)), text(` waits: ${server} asks you to sign in first.`)),
      ),
      actions(
        `need-actions:${view.callKey}`,
        button(ACTIONS.connectLink, `Connect ${server}…`, view.callKey, { style: 'primary' }),
        button(ACTIONS.connectRetry, 'Retry', view.callKey),
      ),
    ],
  };
}

/** The line once the sign-in is done or given up. */
export function connectDone(view: NeedView, words: string): Message<KnownBlock> {
  const line = `${sentence(view.server)}: ${sentence(words)}`;
  return { text: notification(line), blocks: [richText(`need:${view.callKey}`, section(text(line)))] };
}
