import type { ActionsBlock, KnownBlock } from '@slack/types';
import type { Memory } from '../../memory/index.ts';
import { type MemoryItem, MOST_ITEMS, type PersonMemory } from '../../memory/ports.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip } from '../../presentation/text/clip.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import type { Directory } from '../people/directory.ts';
import { actions, button, confirmation, context, type Message, option, plain } from '../text/block-kit.ts';
import { listMessage } from '../text/list-message.ts';
import { MEMORY, memoryWords } from '../texts/memory.ts';

/** The most items that a Home lists, and a message, which holds 50 blocks. */
const LISTED = { home: 8, message: 40 };
const LINE_LENGTH = 600;
/** How much of items a message has, in characters: screen readers read out all of what it shows. */
const READ_OUT = 2_400;
/** The blocks around the items: header, count of those left out, what it is, buttons. */
const AROUND = 4;

/** What is remembered of a person, as they are shown it. */
export interface MemoryView extends Pick<PersonMemory, 'mode'> {
  readonly items: readonly (MemoryItem & {
    /** Where they said it, in words. */
    readonly where: string;
  })[];
}

/** Reads what is remembered of somebody, for them alone. */
export function createMemoryViews({
  memory,
  directory,
}: {
  readonly memory: Pick<Memory, 'read'>;
  readonly directory: Pick<Directory, 'channelName'>;
}) {
  return async (actorId: string): Promise<MemoryView> => {
    const { mode, items } = await memory.read(actorId);
    const shown = items.map(async (item) => ({ ...item, where: await nameWhere(item, directory) }));
    return { mode, items: await Promise.all(shown) };
  };
}
export type ReadMemory = ReturnType<typeof createMemoryViews>;

async function nameWhere(
  { place }: MemoryItem,
  { channelName }: Pick<Directory, 'channelName'>,
): Promise<string> {
  if (place === null) return MEMORY.said.direct;
  return MEMORY.said.channel((await channelName(place.split(':')[2] ?? '')) ?? MEMORY.aChannel);
}

/** The section of App Home, in at most `room` blocks; what doesn't fit is counted. */
export function memoryBlocks(view: MemoryView, room: number): KnownBlock[] {
  if (isIdle(view)) return [];
  const most = Math.max(0, Math.min(LISTED.home, room - AROUND));
  return [
    { type: 'header', block_id: 'header:memory', text: plain(MEMORY.title, 150) },
    ...itemBlocks(view, most, MEMORY.more),
    ...endBlocks(view),
  ];
}

/** The answer to `/countersign memory`. */
export function memoryList(view: MemoryView): Message<KnownBlock> {
  return listMessage(MEMORY.title, [
    { type: 'section', block_id: 'memory', text: plain(MEMORY.title) },
    ...itemBlocks(view, countReadOut(view), MEMORY.older),
    ...endBlocks(view),
  ]);
}

/** How many items are read out whole. */
function countReadOut({ items }: MemoryView): number {
  let length = 0;
  const tooMany = items.findIndex((item) => {
    length += sayItem(item).length;
    return length > READ_OUT;
  });
  return Math.min(tooMany === -1 ? items.length : tooMany, LISTED.message);
}

/** An item in words. */
export function describeItem(item: Pick<MemoryItem, 'kind' | 'key' | 'text'>): string {
  return MEMORY.line(memoryWords(item), sentence(item.text));
}

/** Whether the operator wants nothing remembered, and nothing is left. */
function isIdle({ mode, items }: MemoryView): boolean {
  return mode === 'not_here' && items.length === 0;
}

function itemBlocks({ items }: MemoryView, most: number, countLeft: (count: number) => string): KnownBlock[] {
  const shown = items.slice(0, most);
  const left = items.length - shown.length;
  return [...shown.map(itemBlock), ...(left > 0 ? [context('memory:more', countLeft(left))] : [])];
}

/** An item, with where it was said. */
function sayItem(item: MemoryView['items'][number]): string {
  return clip(`${describeItem(item)}\n${item.where}`, LINE_LENGTH);
}

function itemBlock(item: MemoryView['items'][number]): KnownBlock {
  const { id } = item;
  return {
    type: 'section',
    block_id: `memory:${id}`,
    text: plain(sayItem(item)),
    accessory: {
      type: 'overflow',
      action_id: ACTIONS.memoryItem,
      options: [option(MEMORY.edit, `edit:${id}`), option(MEMORY.forget, `forget:${id}`)],
    },
  };
}

function endBlocks(view: MemoryView): KnownBlock[] {
  const buttons = toButtons(view);
  return [
    context('memory:about', describeState(view)),
    ...(buttons.length > 0 ? [actions('memory:actions', ...buttons)] : []),
  ];
}

function describeState({ mode, items }: MemoryView): string {
  if (mode !== 'on') return MEMORY.off[mode][items.length === 0 ? 'none' : 'some'];
  if (items.length === 0) return `${MEMORY.nothing} ${MEMORY.about}`;
  return items.length < MOST_ITEMS ? MEMORY.about : `${MEMORY.about} ${MEMORY.full}`;
}

function toButtons({ mode, items }: MemoryView): ActionsBlock['elements'] {
  const confirm = confirmation(MEMORY.forgetAllTitle, MEMORY.forgetAllWarning[mode], MEMORY.forgetAll);
  const turn = mode === 'on' ? MEMORY.turnOff : MEMORY.turnOn;
  return [
    ...(items.length > 0 ? [button(ACTIONS.forgetMemories, MEMORY.forgetAll, 'all', { confirm })] : []),
    ...(mode === 'not_here' ? [] : [button(ACTIONS.turnMemory, turn, mode === 'on' ? 'off' : 'on')]),
  ];
}
