import type { InputBlock } from '@slack/types';
import { LIMITS, plain } from '../../text/block-kit.ts';
import { FIELD_ERROR } from '../../texts/forms.ts';
import { INPUT } from './inputs.ts';
import { inputState, parseStateValues } from './read.ts';

/** A multi-line text input, required unless `optional`. */
export function freeTextInput(
  blockId: string,
  label: string,
  hint: string,
  { optional = false }: { readonly optional?: boolean } = {},
): InputBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plain(label),
    hint: plain(hint),
    optional,
    element: {
      type: 'plain_text_input',
      action_id: INPUT,
      multiline: true,
      max_length: LIMITS.inputInitial,
      focus_on_load: true,
    },
  };
}

export type FreeTextReading =
  | { readonly words: string }
  | { readonly errors: Readonly<Record<string, string>> };

/** Reads an optional text; null for none, or blanks alone. Throws ZodError when `values` isn't Slack's. */
export function readOptionalText(blockId: string, values: unknown): string | null {
  const words = (inputState(parseStateValues(values), blockId)?.value ?? '').trim();
  return words === '' ? null : words;
}

/** Reads a required text; blanks alone don't count. Throws ZodError when `values` isn't Slack's. */
export function readFreeText(blockId: string, values: unknown): FreeTextReading {
  const words = readOptionalText(blockId, values);
  return words === null ? { errors: { [blockId]: FIELD_ERROR.fewWords } } : { words };
}
