import type { ModalView } from '@slack/types';
import { LONGEST_TEXT, type MemoryItem, type MemoryMode } from '../../memory/ports.ts';
import { MODALS } from '../cards/action-ids.ts';
import { EDIT_MEMORY, memoryWords } from '../texts/memory.ts';
import { type FreeTextReading, freeTextInput, readFreeText } from './form/free-text.ts';
import { modal } from './modal.ts';

const WORDS = 'text';

/** The form to change something that is remembered, whether or not it's used now. */
export function editMemoryModal(
  item: Pick<MemoryItem, 'id' | 'kind' | 'key' | 'text'>,
  mode: MemoryMode,
): ModalView {
  const { id, text: initial } = item;
  const input = freeTextInput(WORDS, memoryWords(item), EDIT_MEMORY.hint[mode], {
    initial,
    most: LONGEST_TEXT,
  });
  return modal({
    callbackId: MODALS.editMemory,
    title: EDIT_MEMORY.title,
    submit: EDIT_MEMORY.submit,
    metadata: { id },
    blocks: [input],
  });
}

/** Reads the text. `values` is `view.state.values`; throws ZodError when it isn't Slack's. */
export function readEditedMemory(values: unknown): FreeTextReading {
  return readFreeText(WORDS, values);
}
