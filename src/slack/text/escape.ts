import { clip } from '../../presentation/text/clip.ts';

/** Slack's own references: `<!channel>`, `<!subteam^S1|@ops>`, `<@U1>`, `<#C1|general>`. */
const REFERENCE = /<([!@#])([^<>|]*)(?:\|([^<>]*))?>/g;
const BROADCAST = /^(?:channel|here|everyone|group|subteam\^|date\^)/i;
const SLACK_ID = /^[A-Z][A-Z0-9]+$/;

/** Text for an mrkdwn field or a message's `text`: shown as it is, mentions nobody, links nowhere. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escaped, a character takes up to five: this stays under the 4,000 that `chat.update` takes. */
const NOTIFICATION_LENGTH = 700;

/** The `text` beside a message's blocks: what phones and screen readers show, mentioning nobody. */
export function notification(words: string): string {
  return escapeMrkdwn(clip(words, NOTIFICATION_LENGTH));
}

/**
 * Markdown that mentions nobody: Slack's references become the plain words that they stand for.
 * Slack documents no escape for them in `markdown` blocks, so the syntax itself is broken up;
 * HTML comments and the like in code stay as they are.
 */
function withoutMentions(markdown: string): string {
  return markdown
    .replace(REFERENCE, (whole, sigil: string, target: string, label: string | undefined) => {
      if (sigil === '!') return BROADCAST.test(target) ? `@${(label ?? target).replace(/^@/, '')}` : whole;
      return SLACK_ID.test(target) ? `${sigil}${(label ?? target).replace(/^[@#]/, '')}` : whole;
    })
    .replace(/<(?=!(?:channel|here|everyone|group|subteam|date\^)|@|#)/gi, '< ');
}

/** Marks that turn all the text behind them round until something ends them, which in an answer nothing need do. */
const TURNS = /[\u202A\u202B\u202D\u202E]/g;

/**
 * What the model says, as people may be shown it: it mentions nobody, and no mark that it took over from somewhere
 * makes what follows read backwards; such marks are written out, as on cards.
 */
export function answerText(markdown: string): string {
  return withoutMentions(markdown).replace(
    TURNS,
    (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase()}⟩`,
  );
}
