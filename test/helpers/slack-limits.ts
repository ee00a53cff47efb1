/** Slack's limits on what an app sends, as assertions: a broken one throws with the path to it. */

const TEXT_LIMITS: Record<string, number> = {
  header: 150,
  button: 75,
  title: 24,
  submit: 24,
  close: 24,
  label: 2000,
  hint: 2000,
  placeholder: 150,
  option: 75,
};

const OPTION_LIMITS: Record<string, number> = {
  static_select: 100,
  multi_static_select: 100,
  checkboxes: 10,
  radio_buttons: 10,
  overflow: 5,
};

const BROADCAST = /<!(channel|here|everyone|subteam)/i;
const MESSAGE_BLOCKS = new Set([
  'section',
  'context',
  'actions',
  'header',
  'divider',
  'rich_text',
  'markdown',
  'table',
  'plan',
]);
const VIEW_BLOCKS = new Set([...MESSAGE_BLOCKS, 'input']);
VIEW_BLOCKS.delete('markdown');
VIEW_BLOCKS.delete('table');
VIEW_BLOCKS.delete('plan');

type Value = Record<string, unknown>;

/** Throws when `chat.postMessage` or `chat.update` would refuse this, or when it could mention a channel. */
export function assertMessage(message: { readonly text: string; readonly blocks: readonly object[] }): void {
  within(message.text, 1, 4000, 'text');
  require(!/<[!@#]/.test(message.text), 'text', 'mentions somebody');
  within(message.blocks, 1, 50, 'blocks');
  assertBlocks(message.blocks, MESSAGE_BLOCKS);
  const markdown = message.blocks.map(asObject).filter(({ type }) => type === 'markdown');
  const length = markdown.reduce((sum, block) => sum + escapedLength(String(block.text)), 0);
  require(length <= 12_000, 'blocks', `hold ${length} characters of markdown`);
  const tables = message.blocks.map(asObject).filter(({ type }) => type === 'table');
  require(tables.length <= 1, 'blocks', 'hold more than one table');
  const size = JSON.stringify(message.blocks).length;
  require(size <= 60_000, 'blocks', `are ${size} characters of JSON`);
}

/** Throws when `views.open`, `views.update` or `views.publish` would refuse this. */
export function assertView(view: object): void {
  const { type, title, submit, close, blocks, private_metadata, callback_id } = asObject(view);
  require(type === 'modal' || type === 'home', 'type', `is ${String(type)}`);
  require(Buffer.byteLength(JSON.stringify(view)) <= 250_000, 'view', 'is over 250 kB');
  if (type === 'modal') checkText(title, 'title', 'title');
  if (submit !== undefined) checkText(submit, 'submit', 'submit');
  if (close !== undefined) checkText(close, 'close', 'close');
  if (private_metadata !== undefined) within(private_metadata, 0, 3000, 'private_metadata');
  if (callback_id !== undefined) within(callback_id, 1, 255, 'callback_id');
  within(blocks, 1, 100, 'blocks');
  const list = asArray(blocks);
  assertBlocks(list, VIEW_BLOCKS);
  const inputs = list.map(asObject).filter((block) => block.type === 'input');
  if (type === 'modal' && inputs.length > 0)
    require(submit !== undefined, 'submit', 'is missing beside inputs');
}

function assertBlocks(blocks: readonly unknown[], allowed: ReadonlySet<string>): void {
  const ids = new Set<string>();
  blocks.forEach((raw, index) => {
    const block = asObject(raw);
    const path = `blocks[${index}] (${String(block.type)})`;
    require(allowed.has(String(block.type)), path, 'is not allowed here');
    if (block.block_id !== undefined) {
      within(block.block_id, 1, 255, `${path}.block_id`);
      require(!ids.has(String(block.block_id)), path, `repeats block_id ${String(block.block_id)}`);
      ids.add(String(block.block_id));
    }
    checkBlock(block, path);
  });
}

function checkBlock(block: Value, path: string): void {
  switch (block.type) {
    case 'header':
      checkText(block.text, 'header', path);
      break;
    case 'section':
      checkText(block.text, 'section', path);
      break;
    case 'context':
      within(block.elements, 1, 10, `${path}.elements`);
      for (const element of asArray(block.elements)) checkText(element, 'context', path);
      break;
    case 'actions': {
      within(block.elements, 1, 25, `${path}.elements`);
      const elements = asArray(block.elements).map(asObject);
      for (const [index, element] of elements.entries()) checkElement(element, `${path}.elements[${index}]`);
      const ids = elements.map(({ action_id }) => action_id);
      require(new Set(ids).size === ids.length, path, 'repeats an action_id');
      break;
    }
    case 'input':
      checkText(block.label, 'label', `${path}.label`);
      if (block.hint !== undefined) checkText(block.hint, 'hint', `${path}.hint`);
      checkElement(asObject(block.element), `${path}.element`);
      break;
    case 'rich_text':
      within(block.elements, 1, 1000, `${path}.elements`);
      for (const element of asArray(block.elements)) checkRichText(asObject(element), path);
      break;
    case 'markdown':
      within(block.text, 1, 12_000, `${path}.text`);
      require(!/<!(channel|here|everyone|subteam)|<@/i.test(String(block.text)), path, 'mentions somebody');
      break;
    case 'table':
      checkTable(block, path);
      break;
    case 'plan':
      within(block.title, 1, 256, `${path}.title`);
      within(block.tasks, 1, 50, `${path}.tasks`);
      require(new Set(asArray(block.tasks).map((it) => asObject(it).task_id)).size ===
        asArray(block.tasks).length, path, 'has two tasks of one id');
      for (const task of asArray(block.tasks).map(asObject)) {
        within(task.title, 1, 256, `${path} task`);
        if (task.details !== undefined) checkBlock(asObject(task.details), `${path} task`);
      }
      break;
  }
}

function checkTable(block: Value, path: string): void {
  within(block.rows, 1, 100, `${path}.rows`);
  let length = 0;
  for (const row of asArray(block.rows)) {
    within(row, 1, 20, `${path}.rows[]`);
    for (const cell of asArray(row)) {
      within(asObject(cell).text, 1, 3000, `${path} cell`);
      length += String(asObject(cell).text).length;
    }
  }
  require(length <= 10_000, path, `holds ${length} characters`);
}

function checkRichText(element: Value, path: string): void {
  const elements = asArray(element.elements).map(asObject);
  require(elements.length > 0, path, `has an empty ${String(element.type)}`);
  let length = 0;
  for (const part of elements) {
    if (part.type === 'text') within(part.text, 1, 3000, `${path} text`);
    if (part.type === 'date')
      require(Number.isInteger(part.timestamp), path, 'has a date without a timestamp');
    if (part.type === 'broadcast' || part.type === 'user') require(false, path, `has a ${part.type} element`);
    length += typeof part.text === 'string' ? part.text.length : 0;
  }
  require(length <= 6000, path, `has ${length} characters in one element`);
}

function checkElement(element: Value, path: string): void {
  within(element.action_id, 1, 255, `${path}.action_id`);
  if (element.type === 'button') {
    checkText(element.text, 'button', `${path}.text`);
    if (element.value !== undefined) within(element.value, 1, 2000, `${path}.value`);
    if (element.url !== undefined) within(element.url, 1, 3000, `${path}.url`);
  }
  if (element.confirm !== undefined) checkConfirm(asObject(element.confirm), `${path}.confirm`);
  const most = OPTION_LIMITS[String(element.type)];
  if (most !== undefined) checkOptions(element, most, path);
  if (element.type === 'plain_text_input') checkTextInput(element, path);
  if (element.type === 'number_input' && element.initial_value !== undefined) {
    require(/^-?\d+(\.\d+)?$/.test(String(element.initial_value)), path, 'starts with no number');
  }
  if (element.type === 'datepicker' && element.initial_date !== undefined) {
    require(/^\d{4}-\d{2}-\d{2}$/.test(String(element.initial_date)), path, 'starts with no date');
  }
  if (element.type === 'timepicker' && element.initial_time !== undefined) {
    require(/^\d{2}:\d{2}$/.test(String(element.initial_time)), path, 'starts with no time');
  }
  if (element.type === 'datetimepicker' && element.initial_date_time !== undefined) {
    require(/^\d{10}$/.test(String(element.initial_date_time)), path, 'starts with no ten-digit time');
  }
}

function checkConfirm({ title, text, confirm, deny }: Value, path: string): void {
  within(asObject(title).text, 1, 100, `${path}.title`);
  within(asObject(text).text, 1, 300, `${path}.text`);
  within(asObject(confirm).text, 1, 30, `${path}.confirm`);
  within(asObject(deny).text, 1, 30, `${path}.deny`);
}

function checkOptions(element: Value, most: number, path: string): void {
  within(element.options, 1, most, `${path}.options`);
  const options = asArray(element.options).map(asObject);
  for (const option of options) {
    checkText(option.text, 'option', `${path}.options[].text`);
    within(option.value, 1, 75, `${path}.options[].value`);
  }
  const initial = [element.initial_option ?? [], element.initial_options ?? []].flat();
  for (const chosen of initial) {
    const known = options.some((option) => JSON.stringify(option) === JSON.stringify(chosen));
    require(known, path, 'starts with an option that it does not have');
  }
}

function checkTextInput({ initial_value, max_length, multiline }: Value, path: string): void {
  if (initial_value !== undefined) {
    within(initial_value, 1, typeof max_length === 'number' ? max_length : 3000, `${path}.initial_value`);
    require(multiline === true || !String(initial_value).includes('\n'), path, 'loses lines');
  }
  if (max_length !== undefined)
    require(Number(max_length) >= 1 && Number(max_length) <= 3000, path, 'max_length');
}

function checkText(raw: unknown, use: string, path: string): void {
  const { type, text } = asObject(raw);
  within(text, 1, TEXT_LIMITS[use] ?? 3000, path);
  if (type === 'mrkdwn') require(!BROADCAST.test(String(text)), path, 'mentions somebody');
}

function within(value: unknown, least: number, most: number, path: string): void {
  require(typeof value === 'string' || Array.isArray(value), path, `is ${typeof value}`);
  const length = typeof value === 'string' ? value.length : asArray(value).length;
  require(length >= least && length <= most, path, `has ${length}, allowed are ${least} to ${most}`);
}

function escapedLength(text: string): number {
  return text.replace(/&/g, '&amp;').replace(/[<>]/g, '&lt;').length;
}

function require(holds: boolean, path: string, problem: string): void {
  if (!holds) throw new Error(`${path} ${problem}`);
}

function asObject(value: unknown): Value {
  if (typeof value !== 'object' || value === null) throw new Error(`not an object: ${JSON.stringify(value)}`);
  return Object.fromEntries(Object.entries(value));
}

function asArray(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value;
}
