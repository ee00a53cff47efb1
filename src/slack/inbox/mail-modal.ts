import type { KnownBlock, ModalView, RichTextElement } from '@slack/types';
import type { Mail } from '../../inbox/ports.ts';
import { head, pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { modal } from '../modals/modal.ts';
import { bold, context, richText, section, text } from '../text/block-kit.ts';
import { MAIL } from '../texts/inbox.ts';
import { describeAttachments, describeWarnings } from './mail-message.ts';
import { describeSender, strange, type WholeMail } from './whole-mail.ts';

/** Characters of one block, and how many blocks there are of what is new and of what is quoted: a view has 100. */
const BLOCK_LENGTH = 2_800;
const MOST = { text: 40, quoted: 15 };
const LONGEST_HEADER = 1_000;

/** All of a mail, as its server gives it: literal text, in which nothing is a link. */
export function mailModal(mail: Pick<Mail, 'from' | 'warnings'>, whole: WholeMail): ModalView {
  const { from, to, cc, reply_to: replyTo, date, subject } = whole;
  const { address, name } = describeSender(from || mail.from);
  const headers = [
    [MAIL.header.from, name === '' ? address : `${address} ${name}`],
    [MAIL.header.replyTo, strange(replyTo, LONGEST_HEADER)],
    [MAIL.header.to, strange(to, LONGEST_HEADER)],
    [MAIL.header.cc, strange(cc, LONGEST_HEADER)],
    [MAIL.header.date, strange(date, LONGEST_HEADER)],
    [MAIL.header.subject, strange(subject, LONGEST_HEADER)],
  ] as const;
  const warnings = describeWarnings([...whole.warnings, ...(mail.warnings ?? [])]);
  const attached = describeAttachments(whole);
  return mailView([
    ...headers.flatMap(([label, value]) => (value === '' ? [] : [headerBlock(label, value)])),
    ...(warnings.length > 0 ? [richText('mail:warnings', section(bold(warnings.join('\n'))))] : []),
    ...(attached === '' ? [] : [context('mail:attached', attached)]),
    { type: 'divider' },
    ...textBlocks('text', whole.text.trim() === '' ? MAIL.empty : whole.text, MOST.text),
    ...(whole.quoted.trim() === ''
      ? []
      : [context('mail:quoted', MAIL.quoted), ...textBlocks('quoted', whole.quoted, MOST.quoted)]),
  ]);
}

/** In place of a mail: that it's being read, or can't be. */
export function mailNotice(words: string): ModalView {
  return mailView([richText('mail:notice', section(text(words)))]);
}

function mailView(blocks: readonly KnownBlock[]): ModalView {
  return modal({ callbackId: 'mail', title: MAIL.showTitle, submit: null, metadata: {}, blocks });
}

function headerBlock(label: string, value: string): KnownBlock {
  const line: RichTextElement[] = [bold(label), text(`  ${value}`)];
  return richText(`mail:header:${label}`, section(...line));
}

function textBlocks(name: string, words: string, most: number): KnownBlock[] {
  const all = pieces(visible(head(words, (most + 1) * BLOCK_LENGTH)).trim(), BLOCK_LENGTH);
  const shown = all.slice(0, most).map((piece, index) => {
    const part = section(text(piece));
    const quote = { type: 'rich_text_quote', elements: part.elements } as const;
    return richText(`mail:${name}:${index}`, name === 'quoted' ? quote : part);
  });
  return [...shown, ...(all.length > most ? [context(`mail:${name}:cut`, MAIL.cut)] : [])];
}
