import type {
  ActionsBlock,
  Button,
  ConfirmationDialog,
  ContextBlock,
  MrkdwnElement,
  PlainTextElement,
  PlainTextOption,
  RichTextBlock,
  RichTextBlockElement,
  RichTextDate,
  RichTextElement,
  RichTextPreformatted,
  RichTextSection,
  RichTextText,
} from '@slack/types';
import { clip } from '../../presentation/text/clip.ts';
import { formatInstant } from '../../presentation/text/time.ts';
import { escapeMrkdwn } from './escape.ts';

/** Slack's limits, in characters (docs.slack.dev, Block Kit reference; checked November 2026). */
export const LIMITS = {
  buttonText: 75,
  buttonValue: 2000,
  confirmText: 300,
  confirmTitle: 100,
  inputHint: 2000,
  inputInitial: 3000,
  inputLabel: 2000,
  messageBlocks: 50,
  modalTitle: 24,
  optionText: 75,
  placeholder: 150,
  selectOptions: 100,
  viewBlocks: 100,
} as const;

/** Plain text cut to `limit`; never empty, since Slack refuses that. `:words:` aren't turned into emoji. */
export function plain(text: string, limit = 3000): PlainTextElement {
  return { type: 'plain_text', text: clip(text === '' ? ' ' : text, limit), emoji: false };
}

export function text(content: string): RichTextText {
  return { type: 'text', text: content };
}

export function bold(content: string): RichTextText {
  return { type: 'text', text: content, style: { bold: true } };
}

export function italic(content: string): RichTextText {
  return { type: 'text', text: content, style: { italic: true } };
}

export function code(content: string): RichTextText {
  return { type: 'text', text: content, style: { code: true } };
}

/** An instant (milliseconds since the epoch) in each reader's own zone; the fallback names its zone. */
export function instant(at: number, timeZone: string): RichTextDate {
  return {
    type: 'date',
    timestamp: Math.floor(at / 1000),
    format: '{date_short_pretty}, {time}',
    fallback: formatInstant(at, timeZone),
  };
}

/** An instant in a sentence of ours, in one piece: what a line's end can't part. No name may stand in it, see {@link smallPrint}. */
export function instantIn(words: (time: string) => string, at: number, timeZone: string): RichTextDate {
  const { format, fallback = '', ...date } = instant(at, timeZone);
  return { ...date, format: words(format), fallback: words(fallback) };
}

/** A section of rich text. Empty pieces are left out, since Slack refuses them. */
export function section(...elements: readonly RichTextElement[]): RichTextSection {
  return { type: 'rich_text_section', elements: elements.filter((e) => e.type !== 'text' || e.text !== '') };
}

export function preformatted(content: string): RichTextPreformatted {
  return { type: 'rich_text_preformatted', elements: [text(content === '' ? ' ' : content)] };
}

export function richText(blockId: string, ...elements: readonly RichTextBlockElement[]): RichTextBlock {
  return { type: 'rich_text', block_id: blockId, elements: [...elements] };
}

/** A context block: small grey text. */
export function context(blockId: string, words: string): ContextBlock {
  return { type: 'context', block_id: blockId, elements: [plain(words, 2000)] };
}

/** A context block with dates in each reader's own zone. Texts are shown literally; other elements aren't possible. */
export function smallPrint(blockId: string, parts: readonly (RichTextText | RichTextDate)[]): ContextBlock {
  const elements: (PlainTextElement | MrkdwnElement)[] = [];
  let words = '';
  const endWords = () => {
    if (words.trim() !== '') elements.push(plain(words.trim(), 2000));
    words = '';
  };
  for (const part of parts) {
    if (part.type === 'text') {
      words += part.text;
      continue;
    }
    endWords();
    const date = `<!date^${part.timestamp}^${part.format}|${escapeMrkdwn(part.fallback ?? '')}>`;
    elements.push({ type: 'mrkdwn', text: date });
  }
  endWords();
  return { type: 'context', block_id: blockId, elements };
}

interface ButtonOptions {
  readonly style?: 'primary' | 'danger';
  readonly confirm?: ConfirmationDialog;
  readonly url?: string;
}

export function button(actionId: string, label: string, value: string, options: ButtonOptions = {}): Button {
  return { type: 'button', action_id: actionId, text: plain(label, LIMITS.buttonText), value, ...options };
}

export function actions(blockId: string, ...elements: ActionsBlock['elements']): ActionsBlock {
  return { type: 'actions', block_id: blockId, elements };
}

export function option(label: string, value: string): PlainTextOption {
  return { text: plain(label, LIMITS.optionText), value };
}

/** A confirm dialog. Callers pass text that fits its 300 characters. */
export function confirmation(title: string, words: string, verb: string): ConfirmationDialog {
  return {
    title: plain(title, LIMITS.confirmTitle),
    text: plain(words, LIMITS.confirmText),
    confirm: plain(verb, 30),
    deny: plain('Cancel'),
    style: 'danger',
  };
}

/** A modal's title, cut to Slack's 24 characters. */
export function modalTitle(words: string): PlainTextElement {
  return plain(words, LIMITS.modalTitle);
}

/** A message: its blocks, and the text that phones and screen readers show instead. */
export interface Message<Block> {
  readonly text: string;
  readonly blocks: Block[];
}
