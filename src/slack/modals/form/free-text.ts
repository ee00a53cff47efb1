import type { InputBlock } from '@slack/types';
import { LIMITS, plain } from '../../text/block-kit.ts';
import { FIELD_ERROR } from '../../texts/forms.ts';
import { INPUT } from './inputs.ts';
import { inputState, parseStateValues } from './read.ts';

/** A multi-line text input, which is required. `initial`: the text that is there already, of so many characters at most. */
export function freeTextInput(
  blockId: string,
  label: string,
  hint: string,
  { initial, most = LIMITS.inputInitial }: { readonly initial?: string; readonly most?: number } = {},
): InputBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plain(label),
    hint: plain(hint),
    optional: false,
    element: {
      type: 'plain_text_input',
      action_id: INPUT,
      multiline: true,
      max_length: most,
      ...(initial !== undefined && { initial_value: initial }),
      focus_on_load: true,
    },
  };
}

export type FreeTextReading =
  | { readonly words: string }
  | { readonly errors: Readonly<Record<string, string>> };

/** Reads a required text; blanks alone don't count. Throws ZodError when `values` isn't Slack's. */
export function readFreeText(blockId: string, values: unknown): FreeTextReading {
  const words = (inputState(parseStateValues(values), blockId)?.value ?? '').trim();
  return words === '' ? { errors: { [blockId]: FIELD_ERROR.fewWords } } : { words };
}
