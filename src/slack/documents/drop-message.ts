import { extname } from 'node:path';
import type { Button, KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import type { RenderPorts } from '../outbox/render.ts';
import type { Directory } from '../people/directory.ts';
import { button, confirmation, context, type Message, plain } from '../text/block-kit.ts';
import { isolated } from '../text/isolate.ts';
import { listMessage } from '../text/list-message.ts';
import { describeReader, FILE, FORGET } from '../texts/documents.ts';
import type { BroughtFiles } from './brought-files.ts';
import { type Brought, isFound, isKept } from './collections.ts';
import { nameReader } from './readers.ts';

/** The longest name in a line, in characters. */
const NAME_LENGTH = 80;

/** What became of the files of a drop, a line for each, and `who` can ask for them. */
export function dropMessage(files: readonly Brought[], who: string): Message<KnownBlock> {
  const lines = files.map(describeFile);
  const whoAsks = files.some(isFound) ? [who] : [];
  const sections = files.map((file, index) => fileSection(file, index));
  return listMessage(
    lines[0] ?? '',
    [...sections, ...whoAsks.map((words) => context('who', words))],
    [...lines, ...whoAsks],
  );
}

function fileSection(file: Brought, index: number): KnownBlock {
  const words = { type: 'section', block_id: `file:${index}`, text: plain(describeFile(file)) } as const;
  return isKept(file) ? { ...words, accessory: forgetButton(file) } : words;
}

/** The button that deletes a document, once somebody has confirmed that. */
export function forgetButton({ name, documentId }: Pick<Brought, 'name' | 'documentId'>): Button {
  const words = FORGET.confirm(showName(name));
  const confirm = confirmation(FORGET.title, words, FORGET.button);
  return button(ACTIONS.forgetDocument, FORGET.button, documentId, { confirm });
}

function describeFile({
  source,
  name,
  state,
  problem,
  pages,
  passages,
  emptyPages,
  progress,
  isNewVersion,
}: Brought): string {
  const end = extname(name).slice(1).toLowerCase();
  const shown = name === '' ? FILE.noName : showName(name);
  switch (state) {
    case 'waiting':
    case 'giving':
    case 'learning':
      return shown + (progress === null ? FILE.reading : FILE.readPages(progress.done, progress.all, end));
    case 'ready':
      return [
        shown + FILE.ready(pages, passages, end),
        ...(emptyPages > 0 ? [FILE.emptyPages(emptyPages, pages ?? emptyPages)] : []),
        ...(isNewVersion ? [FILE.newVersion] : []),
      ].join(' ');
    case 'known':
      return shown + FILE.known;
    case 'unread':
      return (
        shown + FILE.unread(source.kind === 'web' && problem === 'passing' ? 'web_passing' : (problem ?? ''))
      );
    case 'replaced':
      return shown + FILE.replaced;
    case 'forgetting':
      return shown + FILE.forgetting;
    case 'forgotten':
      return shown + FILE.forgotten;
  }
}

/** A document's name, as people are shown it. */
export function showName(name: string): string {
  return isolated(sentence(shorten(name)));
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
    const who = describeReader(await nameReader(first.reader, directory), dropped.filter(isFound).length);
    return { messages: [dropMessage(dropped, who)], onlyUpdate: false };
  };
}
