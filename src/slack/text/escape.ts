import { formatCodePoint, TURNS_DIRECTION } from '../../lib/unicode.ts';
import { clip } from '../../presentation/text/clip.ts';

/** Slack's own references: `<!channel>`, `<!subteam^S1|@ops>`, `<@U1>`, `<#C1|general>`. */
const REFERENCE = /<([!@#])([^<>|]*)(?:\|([^<>]*))?>/g;
const BROADCAST = /^(?:channel|here|everyone|group|subteam\^|date\^)/i;
const SLACK_ID = /^[A-Z][A-Z0-9]+$/;

/** Escapes text for an mrkdwn field or a message's `text`: shown literally, without mentions or links. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** An escaped character takes up to five, so this stays under the 4,000 that `chat.update` takes. */
const NOTIFICATION_LENGTH = 700;

/** The `text` beside a message's blocks: what phones and screen readers show, mentioning nobody. */
export function notification(words: string): string {
  return escapeMrkdwn(clip(words, NOTIFICATION_LENGTH));
}

/**
 * Removes mentions from markdown: Slack's references become the plain text they stand for. Slack documents no
 * escape for them in `markdown` blocks, so the syntax itself is broken up. HTML comments and the like in code
 * stay as they are.
 */
function withoutMentions(markdown: string): string {
  return markdown
    .replace(REFERENCE, (whole, sigil: string, target: string, label: string | undefined) => {
      if (sigil === '!') return BROADCAST.test(target) ? `@${(label ?? target).replace(/^@/, '')}` : whole;
      return SLACK_ID.test(target) ? `${sigil}${(label ?? target).replace(/^[@#]/, '')}` : whole;
    })
    .replace(/<(?=!(?:channel|here|everyone|group|subteam|date\^)|@|#)/gi, '< ');
}

/**
 * The model's text made safe to show: it mentions nobody, and bidi marks that it copied can't make the rest
 * read backwards. Such marks are written out, as on cards.
 */
export function answerText(markdown: string): string {
  return withoutMentions(markdown).replace(TURNS_DIRECTION, formatCodePoint);
}
