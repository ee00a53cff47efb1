import type { KnownBlock, ModalView } from '@slack/types';
import type { Json, JsonObject } from '../../lib/json.ts';
import { describeEachArgument } from '../../presentation/arguments.ts';
import { type LabelledTool, titleUse } from '../../presentation/schema-labels.ts';
import { toolTitle } from '../../presentation/text/title.ts';
import { MODALS } from '../cards/action-ids.ts';
import { wholeArgumentBlocks } from '../cards/argument-blocks.ts';
import { type CallView, callReference, callTitle } from '../cards/call-view.ts';
import { bold, context, richText, section } from '../text/block-kit.ts';
import { EDIT } from '../texts/modals.ts';
import { findProblem } from './form/check-value.ts';
import { type Field, type Form, toForm } from './form/fields.ts';
import { fieldInputs } from './form/inputs.ts';
import { parseStateValues, readField } from './form/read.ts';
import { modal } from './modal.ts';

/** Blocks left for what isn't a field, and the characters they may hold. */
const MAX_FIXED_BLOCKS = 8;
const MAX_FIXED_LENGTH = 20_000;

/** What the edited arguments are for: to approve the call with them, or to ask for it once more. */
type EditUse = 'approve' | 'ask';

/**
 * The form to edit a call's arguments: one input per argument, of the right kind. Values that no input can
 * hold are shown whole. If they are too long for that, the form can't be submitted: it would approve text
 * nobody saw.
 */
export function editModal(view: CallView, use: EditUse = 'approve'): ModalView {
  const { tool, arguments: args } = view.call;
  const form = toForm(tool.inputSchema, args, titleUse(tool));
  const inputs = form.fields.flatMap(fieldInputs);
  const fixed = fixedBlocks(view, form);
  const isUsable = inputs.length > 0 && fixed !== null;
  const head = section(bold(callTitle(view)));
  const isEmpty = form.fields.length === 0 && form.leftOut.length === 0;
  const unusable = context('unusable', isEmpty ? EDIT.nothing : EDIT.tooLong);
  return modal({
    callbackId: use === 'approve' ? MODALS.edit : MODALS.editAndTry,
    title: EDIT.title(toolTitle(tool)),
    submit: isUsable ? EDIT.submit[use] : null,
    metadata: { ...callReference(view) },
    blocks: [richText('head', head), ...(isUsable ? [...inputs, ...fixed] : [unusable])],
  });
}

type EditReading =
  | { readonly arguments: JsonObject }
  /** Error sentences by `block_id`, the form in which a view submission is answered. */
  | { readonly errors: Readonly<Record<string, string>> };

/**
 * Reads the edited arguments. Untouched values, and those without an input, stay exactly as they were; an
 * optional argument that was emptied is left out. `values` is `view.state.values`; throws ZodError for
 * anything Slack wouldn't send.
 */
export function readEditForm(tool: LabelledTool, original: JsonObject, values: unknown): EditReading {
  const state = parseStateValues(values);
  const changes = new Map<string, Json | undefined>();
  const errors: Record<string, string> = {};
  for (const field of toForm(tool.inputSchema, original, titleUse(tool)).fields) {
    const reading = readField(field, state);
    if (reading.kind === 'absent') changes.set(field.property.name, undefined);
    if (reading.kind === 'value') changes.set(field.property.name, reading.value);
    const problem = reading.kind === 'value' ? findProblem(field.property, reading.value) : null;
    const message = reading.kind === 'error' ? reading.message : problem;
    if (message !== null) errors[errorBlockId(field)] = message;
  }
  return Object.keys(errors).length > 0 ? { errors } : { arguments: withChanges(original, changes) };
}

/** The block that shows an error about this argument; null when the form has no input for it. */
export function argumentBlockId(tool: LabelledTool, original: JsonObject, name: string): string | null {
  const { fields } = toForm(tool.inputSchema, original, titleUse(tool));
  const field = fields.find(({ property }) => property.name === name);
  return field === undefined || field.control.kind === 'fixed' ? null : errorBlockId(field);
}

function errorBlockId({ control, blockId }: Field): string {
  return control.kind === 'local' ? `${blockId}.date` : blockId;
}

function withChanges(original: JsonObject, changes: ReadonlyMap<string, Json | undefined>): JsonObject {
  const kept = Object.entries(original).map(([name, value]): [string, Json | undefined] =>
    changes.has(name) ? [name, changes.get(name)] : [name, value],
  );
  const added = [...changes].filter(([name]) => !Object.hasOwn(original, name));
  const given = [...kept, ...added].flatMap(([name, value]): [string, Json][] =>
    value === undefined ? [] : [[name, value]],
  );
  return Object.fromEntries(given);
}

/** The arguments without an input, whole; null when they are too long to show here. */
function fixedBlocks({ call, resolve }: CallView, { fields, leftOut }: Form): KnownBlock[] | null {
  const fixed = fields.filter(({ control }) => control.kind === 'fixed').map(({ property }) => property);
  const names = new Set([...fixed, ...leftOut].map(({ name }) => name));
  if (names.size === 0) return [];
  const all = describeEachArgument(call.tool, call.arguments, resolve);
  const rows = all.filter(({ name }) => names.has(name));
  const length = rows.reduce(
    (sum, { label, value, raw }) => sum + label.length + value.length + (raw?.length ?? 0),
    0,
  );
  const blocks = wholeArgumentBlocks(rows);
  if (blocks.length > MAX_FIXED_BLOCKS || length > MAX_FIXED_LENGTH) return null;
  return [
    context('fixed', EDIT.fixed),
    ...blocks.map((block, index) => ({ ...block, block_id: `fixed.${index}` })),
  ];
}
