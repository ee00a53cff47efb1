import { extname } from 'node:path';
import type { Button, KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { isolated } from '../cards/plain-messages.ts';
import { isDirectChannel, parseSlackPlace } from '../ids.ts';
import type { RenderPorts } from '../outbox/render.ts';
import type { Directory } from '../people/directory.ts';
import { button, confirmation, context, type Message, plain } from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { FILE, FORGET, WHO_ASKS } from '../texts/documents.ts';
import type { BroughtFiles } from './brought-files.ts';
import { type Brought, isFound } from './collections.ts';

/** The longest name in a line, in characters. */
const NAME_LENGTH = 120;

/** What became of the files of a drop, a line for each, and who can ask for them; `channel`: its name, null in direct messages. */
export function dropMessage(files: readonly Brought[], channel: string | null): Message<KnownBlock> {
  const lines = files.map(describeFile);
  const found = files.filter(isFound).length;
  const who =
    found === 0 ? [] : [channel === null ? WHO_ASKS.person(found) : WHO_ASKS.channel(channel, found)];
  return {
    text: notification([...lines, ...who].join('\n')),
    blocks: [
      ...files.map((file, index) => fileSection(file, index)),
      ...who.map((words) => context('who', words)),
    ],
  };
}

function fileSection(file: Brought, index: number): KnownBlock {
  const words = { type: 'section', block_id: `file:${index}`, text: plain(describeFile(file)) } as const;
  return isFound(file) ? { ...words, accessory: forgetButton(file) } : words;
}

/** The button that deletes a document, once somebody has confirmed that. */
export function forgetButton({ name, documentId }: Pick<Brought, 'name' | 'documentId'>): Button {
  const words = FORGET.confirm(isolated(sentence(shorten(name))));
  const confirm = confirmation(FORGET.title, words, FORGET.button);
  return button(ACTIONS.forgetDocument, FORGET.button, documentId, { confirm });
}

function describeFile({ name, state, problem, pages, passages, progress, isNewVersion }: Brought): string {
  const end = extname(name).slice(1).toLowerCase();
  const shown = name === '' ? FILE.noName : isolated(sentence(shorten(name)));
  switch (state) {
    case 'waiting':
    case 'giving':
    case 'learning':
      return shown + (progress === null ? FILE.reading : FILE.readPages(progress.done, progress.all, end));
    case 'ready':
      return shown + FILE.ready(pages, passages, end) + (isNewVersion ? FILE.newVersion : '');
    case 'known':
      return shown + FILE.known;
    case 'unread':
      return shown + FILE.unread(problem ?? '');
    case 'replaced':
      return shown + FILE.replaced;
    case 'forgotten':
      return shown + FILE.forgotten;
  }
}

/** The name without its middle: its end says what kind of file it is. */
function shorten(name: string): string {
  const signs = [...name];
  if (signs.length <= NAME_LENGTH) return name;
  return `${signs.slice(0, NAME_LENGTH - 20).join('')}…${signs.slice(-19).join('')}`;
}

/** What the outbox shows of drops, as they are on record. */
export function createDropMessages({
  files,
  directory,
}: {
  readonly files: Pick<BroughtFiles, 'ofDrop'>;
  readonly directory: Pick<Directory, 'channelName'>;
}): RenderPorts['drop'] {
  return async (dropId) => {
    const dropped = await files.ofDrop(dropId);
    const [first] = dropped;
    if (first === undefined) return null;
    const channel = parseSlackPlace(first.threadId)?.channel ?? '';
    const name = isDirectChannel(channel)
      ? null
      : ((await directory.channelName(channel)) ?? WHO_ASKS.noName);
    return { messages: [dropMessage(dropped, name)], onlyUpdate: false };
  };
}
