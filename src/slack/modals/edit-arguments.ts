import type { KnownBlock, ModalView } from '@slack/types';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { describeEachArgument } from '../../presentation/arguments.ts';
import { idKind } from '../../presentation/id-names.ts';
import { type LabelledTool, titleUse } from '../../presentation/schema-labels.ts';
import { toolTitle } from '../../presentation/text/title.ts';
import { MODALS } from '../cards/action-ids.ts';
import { wholeArgumentBlocks } from '../cards/argument-blocks.ts';
import { type CallView, callReference, callTitle, stepLine } from '../cards/call-view.ts';
import { answersLine, asOfMail, isOfInbox } from '../text/answered-mail.ts';
import { bold, context, richText, section } from '../text/block-kit.ts';
import { MAIL_EDIT } from '../texts/mail-cards.ts';
import { EDIT } from '../texts/modals.ts';
import { type Field, type Form, toForm } from './form/fields.ts';
import { fieldInputs } from './form/inputs.ts';
import { findMeetingProblem, layOut } from './form/layouts.ts';
import { type FormReading, readForm } from './form/read-form.ts';
import { modal } from './modal.ts';

/** Blocks left for what isn't a field, and the characters they may hold. */
const MAX_FIXED_BLOCKS = 8;
const MAX_FIXED_LENGTH = 20_000;

/** What the edited arguments are for: to approve the call with them, or to ask for it once more. */
type EditUse = 'approve' | 'ask';

interface EditOptions {
  readonly use?: EditUse;
  /** Shown above the fields. */
  readonly notice?: readonly KnownBlock[];
  /** Whether the form was sent without it; the title and the button say so, too, which are seen wherever a long form is scrolled to. */
  readonly isAskedAgain?: boolean;
}

/**
 * The form to edit a call's arguments: one input per argument, of the right kind. Values that no input can
 * hold are shown whole. If they are too long for that, the form can't be submitted: it would approve text
 * nobody saw. It remembers which newer mail it tells of, as everything does that is shown of a call.
 */
export function editModal(
  view: CallView,
  { use = 'approve', notice = [], isAskedAgain = false }: EditOptions = {},
): ModalView {
  const { tool, arguments: args } = view.call;
  const form = editForm(formTool(view), args);
  const inputs = form.fields.flatMap(fieldInputs);
  const fixed = fixedBlocks(view, form);
  const isUsable = inputs.length > 0 && fixed !== null;
  const head = section(bold(callTitle(view)), ...stepLine(view));
  const isEmpty = form.fields.length === 0 && form.leftOut.length === 0;
  const unusable = context('unusable', isEmpty ? EDIT.nothing : EDIT.tooLong);
  return modal({
    callbackId: use === 'approve' ? MODALS.edit : MODALS.editAndTry,
    title: isAskedAgain ? MAIL_EDIT.newerTitle : EDIT.title(toolTitle(tool)),
    submit: isUsable ? (isAskedAgain ? MAIL_EDIT.submitAgain : submitWords(view, use)) : null,
    metadata: { ...callReference(view) },
    blocks: [
      richText('head', head),
      ...answersLine(view),
      ...notice,
      ...(isUsable ? [...inputs, ...fixed] : [unusable]),
    ],
  });
}

function submitWords({ call }: CallView, use: EditUse): string {
  return use === 'approve' && isOfInbox(call) ? MAIL_EDIT.submit : EDIT.submit[use];
}

/** A call's tool for its form: with the calendars that there are as the only values of the argument that says which one. */
export function formTool({ call: { tool }, calendars }: Pick<CallView, 'call' | 'calendars'>): LabelledTool {
  const { properties } = tool.inputSchema;
  if (calendars.length === 0 || !isJsonObject(properties)) return tool;
  const oneOf = calendars.map(({ value, title }) => ({ const: value, title }));
  const withChoices = Object.entries(properties).map(([name, property]) => {
    const isFree = isJsonObject(property) && property.type === 'string' && property.enum === undefined;
    return [name, isFree && idKind(name) === 'calendar' ? { ...property, oneOf } : property];
  });
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: Object.fromEntries(withChoices) } };
}

/** The fields of the form; the same whenever it is made for these arguments. */
export function editFields(tool: LabelledTool, args: JsonObject): readonly Field[] {
  return editForm(tool, args).fields;
}

function editForm(tool: LabelledTool, args: JsonObject): Form {
  return toForm(tool.inputSchema, args, titleUse(tool), (fields) => layOut(fields, args));
}

/**
 * Reads the edited arguments. `values` is `view.state.values`; throws ZodError for anything Slack wouldn't send.
 */
export function readEditForm(tool: LabelledTool, original: JsonObject, values: unknown): FormReading {
  const fields = editFields(tool, original);
  const { values: edited, errors } = readForm(fields, original, values);
  return { values: edited, errors: { ...findMeetingProblem(fields, edited), ...errors } };
}

/** The arguments without an input, whole; null when they are too long to show here. */
function fixedBlocks(view: CallView, { fields, leftOut }: Form): KnownBlock[] | null {
  const { call, resolve } = view;
  const fixedFor = (why: string) =>
    fields.flatMap(({ control, property }) =>
      control.kind === 'fixed' && control.why === why ? [property.name] : [],
    );
  const all = asOfMail(view, describeEachArgument(call.tool, call.arguments, resolve));
  const chooseRows = (names: readonly string[]) => all.filter(({ name }) => names.includes(name));
  const long = chooseRows([...fixedFor('long'), ...leftOut.map(({ name }) => name)]);
  const ids = chooseRows(fixedFor('id'));
  const rows = [...long, ...ids];
  const length = rows.reduce(
    (sum, { label, value, raw }) => sum + label.length + value.length + (raw?.length ?? 0),
    0,
  );
  const groups = [
    { name: 'fixed', heading: isOfInbox(call) ? MAIL_EDIT.fixed : EDIT.fixed, own: long },
    { name: 'ids', heading: EDIT.ids, own: ids },
  ].flatMap(({ name, heading, own }) => {
    const blocks = wholeArgumentBlocks(own).map((block, index) => ({
      ...block,
      block_id: `${name}.${index}`,
    }));
    return blocks.length === 0 ? [] : [context(name, heading), ...blocks];
  });
  return groups.length > MAX_FIXED_BLOCKS || length > MAX_FIXED_LENGTH ? null : groups;
}
