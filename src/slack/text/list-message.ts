import type { KnownBlock, RichTextBlockElement, RichTextElement } from '@slack/types';
import { clip } from '../../presentation/text/clip.ts';
import type { Message } from './block-kit.ts';
import { escapeMrkdwn, notification } from './escape.ts';

/** Characters that are read out of a list. */
const LENGTH = 2900;
/** Of a message's `text` as `chat.update` takes it. */
const MOST = 4000;

/**
 * A message that is a list. Screen readers read its `text` in place of the blocks, so that has every line, after the
 * headline.
 *
 * @param lines what the blocks say, where that isn't read out of them
 */
export function listMessage(
  headline: string,
  blocks: KnownBlock[],
  lines: readonly string[] = blocks.map(blockWords),
): Message<KnownBlock> {
  const said = lines.filter((words) => words !== '').join('\n');
  const words = said.startsWith(headline) ? said : `${headline}\n${said}`;
  const text = escapeMrkdwn(clip(words, LENGTH));
  return { text: text.length > MOST ? notification(words) : text, blocks };
}

/** What a block says to who reads; buttons say nothing, since they can't be pressed in a text. */
function blockWords(block: KnownBlock): string {
  if (block.type === 'rich_text') return block.elements.map(partWords).join('\n');
  if (block.type === 'section') return block.text?.text ?? '';
  if (block.type !== 'context') return '';
  return block.elements.map((element) => ('text' in element ? element.text : '')).join(' ');
}

function partWords(part: RichTextBlockElement): string {
  if (part.type === 'rich_text_list') return part.elements.map(partWords).join('\n');
  return part.elements.map(elementWords).join('');
}

/** What a piece of rich text says. */
export function elementWords(element: RichTextElement): string {
  if (element.type === 'text') return element.text;
  if (element.type === 'link') return element.text ?? element.url;
  return element.type === 'date' ? (element.fallback ?? '') : '';
}
