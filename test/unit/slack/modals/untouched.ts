import { isJsonObject, type Json, type JsonObject } from '../../../../src/lib/json.ts';

const STATE_OF: Record<string, string> = {
  initial_value: 'value',
  initial_date: 'selected_date',
  initial_time: 'selected_time',
  initial_date_time: 'selected_date_time',
  initial_option: 'selected_option',
  initial_options: 'selected_options',
};

/** `view.state.values` as Slack sends them for a modal that nobody touched. */
export function untouched(view: { readonly blocks: readonly object[] }): JsonObject {
  return Object.fromEntries(
    inputs(view).map(([blockId, element]) => [
      blockId,
      { value: { type: element.type ?? '', ...stateOf(element) } },
    ]),
  );
}

/** The same with some inputs set, by their label. */
export function filled(
  view: { readonly blocks: readonly object[] },
  byLabel: Record<string, JsonObject>,
): JsonObject {
  const state = untouched(view);
  for (const [label, change] of Object.entries(byLabel)) {
    const blockId = blockOf(view, label);
    const before = isJsonObject(state[blockId]) ? state[blockId].value : {};
    state[blockId] = { value: { ...(isJsonObject(before) ? before : {}), ...change } };
  }
  return state;
}

/** The block whose label this is. */
export function blockOf(view: { readonly blocks: readonly object[] }, label: string): string {
  const found = view.blocks
    .map(json)
    .find((block) => isJsonObject(block.label) && block.label.text === label);
  if (typeof found?.block_id !== 'string') throw new Error(`no input is called ${label}`);
  return found.block_id;
}

/** The option of a select, by its text. */
export function optionOf(view: { readonly blocks: readonly object[] }, label: string, text: string): Json {
  const element = inputs(view).find(([blockId]) => blockId === blockOf(view, label))?.[1];
  const options = Array.isArray(element?.options) ? element.options.filter(isJsonObject) : [];
  const found = options.find((option) => isJsonObject(option.text) && option.text.text === text);
  if (found === undefined) throw new Error(`${label} has no option ${text}`);
  return found;
}

function stateOf(element: JsonObject): JsonObject {
  const initial = Object.entries(element).filter(([name]) => STATE_OF[name] !== undefined);
  return Object.fromEntries(initial.map(([name, value]) => [STATE_OF[name] ?? name, value]));
}

function inputs(view: { readonly blocks: readonly object[] }): [string, JsonObject][] {
  return view.blocks
    .map(json)
    .filter(({ type }) => type === 'input')
    .map((block) => [String(block.block_id), isJsonObject(block.element) ? block.element : {}]);
}

function json(block: object): JsonObject {
  const read: JsonObject = JSON.parse(JSON.stringify(block));
  return read;
}
