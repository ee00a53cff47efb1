import { findElements } from '../blocks/walk.ts';
import type { Json, JsonObject } from '../json.ts';
import type { StateValues } from './types.ts';

interface StateField {
  /** The name of the value in `state.values` and in an action. */
  readonly field: string;
  /** The name of the element's property that it starts from. */
  readonly initial: string;
  /** What it is when nothing is chosen. */
  readonly empty: Json;
}

const CHOSEN = { field: 'selected_option', initial: 'initial_option', empty: null };
const CHOSEN_MANY = { field: 'selected_options', initial: 'initial_options', empty: [] };
const TYPED = { field: 'value', initial: 'initial_value', empty: null };

const STATE_FIELDS: Readonly<Record<string, StateField>> = {
  plain_text_input: TYPED,
  email_text_input: TYPED,
  url_text_input: TYPED,
  number_input: TYPED,
  rich_text_input: { field: 'rich_text_value', initial: 'initial_value', empty: null },
  file_input: { field: 'files', initial: 'initial_files', empty: [] },
  static_select: CHOSEN,
  external_select: CHOSEN,
  radio_buttons: CHOSEN,
  multi_static_select: CHOSEN_MANY,
  multi_external_select: CHOSEN_MANY,
  checkboxes: CHOSEN_MANY,
  users_select: { field: 'selected_user', initial: 'initial_user', empty: null },
  multi_users_select: { field: 'selected_users', initial: 'initial_users', empty: [] },
  conversations_select: { field: 'selected_conversation', initial: 'initial_conversation', empty: null },
  multi_conversations_select: {
    field: 'selected_conversations',
    initial: 'initial_conversations',
    empty: [],
  },
  channels_select: { field: 'selected_channel', initial: 'initial_channel', empty: null },
  multi_channels_select: { field: 'selected_channels', initial: 'initial_channels', empty: [] },
  datepicker: { field: 'selected_date', initial: 'initial_date', empty: null },
  timepicker: { field: 'selected_time', initial: 'initial_time', empty: null },
  datetimepicker: { field: 'selected_date_time', initial: 'initial_date_time', empty: null },
};

/** How an element keeps state; undefined for those that keep none (buttons, overflow menus). */
export function findStateField(element: JsonObject): StateField | undefined {
  return STATE_FIELDS[String(element.type)];
}

/** `state.values` of blocks that nobody has touched. */
export function initialValues(blocks: readonly Json[]): StateValues {
  const values: StateValues = {};
  for (const { block, element } of findElements(blocks)) {
    const kind = findStateField(element);
    if (kind === undefined) continue;
    const ofBlock = values[String(block.block_id)] ?? {};
    ofBlock[String(element.action_id)] = {
      type: String(element.type),
      [kind.field]: element[kind.initial] ?? kind.empty,
    };
    values[String(block.block_id)] = ofBlock;
  }
  return values;
}

/** `fresh`, with what was entered before wherever the same element of the same type is still there. */
export function keepValues(fresh: StateValues, before: StateValues): StateValues {
  const kept: StateValues = {};
  for (const [blockId, actions] of Object.entries(fresh)) {
    kept[blockId] = {};
    for (const [actionId, value] of Object.entries(actions)) {
      const old = before[blockId]?.[actionId];
      kept[blockId][actionId] = old !== undefined && old.type === value.type ? old : value;
    }
  }
  return kept;
}
