import type { KnownBlock, ModalView } from '@slack/types';
import { describeFirst } from '../../src/slack/handlers/memory/tell-first.ts';
import { type MemoryView, memoryList } from '../../src/slack/home/memory.ts';
import { editMemoryModal } from '../../src/slack/modals/edit-memory.ts';
import type { Message } from '../../src/slack/text/block-kit.ts';

const item: MemoryView['items'][number] = {
  id: 'AbCdEfGhIjKlMnOpQrStUv',
  kind: 'critical_fact',
  key: 'recent_projects',
  text: 'retrieval, '.repeat(18),
  learnedAt: 0,
  place: 'slack:T1:C1',
  where: 'said in #general',
};
const items = Array.from({ length: 50 }, (_, index) => ({ ...item, id: `${item.id}${index}` }));

/** What is remembered of a person, as much as there can be. */
export const MEMORY: MemoryView = { mode: 'on', items };

/** What people see of what is remembered of them. */
export const MEMORY_MESSAGES: Readonly<Record<string, Message<KnownBlock>>> = {
  'what is remembered': memoryList(MEMORY),
  'what is remembered, nothing yet': memoryList({ ...MEMORY, items: [] }),
  'what is remembered, turned off': memoryList({ ...MEMORY, mode: 'turned_off' }),
  'what is remembered, turned off for everybody': memoryList({ ...MEMORY, mode: 'not_here' }),
  'the first time that something is remembered': describeFirst(items),
};

export const MEMORY_VIEWS: Readonly<Record<string, ModalView>> = {
  'change what is remembered': editMemoryModal(item, 'on'),
  'change what is remembered, turned off': editMemoryModal(item, 'not_here'),
};
