import type { KnownBlock, ModalView } from '@slack/types';
import type { Json, JsonObject } from '../../lib/json.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { propertiesOf } from '../../presentation/schema-labels.ts';
import { clip } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { MODALS } from '../cards/action-ids.ts';
import { type NeedView, needKeys, titleOf } from '../cards/elicitation-cards.ts';
import { bold, context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { problemOf } from './form/check-value.ts';
import { type Field, formOf } from './form/fields.ts';
import { fieldInputs } from './form/inputs.ts';
import { parseStateValues, readField } from './form/read.ts';
import { modal } from './modal.ts';

/** The form that a server asks for, from its flat schema; what it suggests is filled in. */
export function elicitationModal(view: NeedView, requestedSchema: JsonObject): ModalView {
  const server = sentence(view.server);
  const form = formOf(requestedSchema, defaultsOf(requestedSchema));
  const inForm = form.fields.filter(({ control }) => control.kind !== 'fixed');
  const isWhole = inForm.length === propertiesOf(requestedSchema).length;
  const inputs: KnownBlock[] = form.fields.flatMap(fieldInputs);
  return modal({
    callbackId: MODALS.form,
    title: server,
    submit: isWhole ? 'Send' : null,
    metadata: needKeys(view),
    blocks: [
      richText(
        'asks',
        section(bold(`${server} asks`), text(` before it goes on with ${titleOf(view)}:`)),
        preformatted(clip(visible(view.message), 2500)),
      ),
      ...(isWhole
        ? inputs
        : [context('unusable', 'The server asks for more than fits a form here. Decline it instead.')]),
      context('who', `What you send goes to the server ${server}.`),
    ],
  });
}

export type ElicitationReading =
  | { readonly content: JsonObject }
  /** Sentences by `block_id`. */
  | { readonly errors: Readonly<Record<string, string>> };

/**
 * What the person filled in, checked against the schema's required fields, formats and bounds.
 * `values` is `view.state.values`; throws ZodError when it is nothing that Slack would send.
 */
export function readElicitationForm(requestedSchema: JsonObject, values: unknown): ElicitationReading {
  const state = parseStateValues(values);
  const content: [string, Json][] = [];
  const errors: Record<string, string> = {};
  for (const field of formOf(requestedSchema, defaultsOf(requestedSchema)).fields) {
    const reading = readField(field, state);
    if (reading.kind === 'error') errors[blockOf(field)] = reading.message;
    const value =
      reading.kind === 'value' ? reading.value : reading.kind === 'untouched' ? field.value : undefined;
    const problem = value === undefined ? missing(field) : problemOf(field.property, value);
    if (problem !== null) errors[blockOf(field)] ??= problem;
    if (value !== undefined) content.push([field.property.name, value]);
  }
  return Object.keys(errors).length > 0 ? { errors } : { content: Object.fromEntries(content) };
}

/** The block that an error about this field belongs beside; null when the form has no input for it. */
export function blockOfAnswer(requestedSchema: JsonObject, name: string): string | null {
  const { fields } = formOf(requestedSchema, defaultsOf(requestedSchema));
  const field = fields.find(({ property }) => property.name === name);
  return field === undefined || field.control.kind === 'fixed' ? null : blockOf(field);
}

function missing({ property }: Field): string | null {
  return property.required ? 'This is needed.' : null;
}

function blockOf({ control, blockId }: Field): string {
  return control.kind === 'local' ? `${blockId}.date` : blockId;
}

function defaultsOf(schema: JsonObject): JsonObject {
  const defaults = propertiesOf(schema).flatMap(({ name, defaultValue }): [string, Json][] =>
    defaultValue === undefined || defaultValue === null ? [] : [[name, defaultValue]],
  );
  return Object.fromEntries(defaults);
}
