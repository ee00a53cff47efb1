import type { KnownBlock, ModalView } from '@slack/types';
import type { Json, JsonObject } from '../../lib/json.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { readProperties } from '../../presentation/schema-labels.ts';
import { clip } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { MODALS } from '../cards/action-ids.ts';
import { elicitationTitle, type NeedView, needKeys } from '../cards/elicitation-cards.ts';
import { bold, context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { ELICITATION } from '../texts/cards.ts';
import { FIELD_ERROR } from '../texts/forms.ts';
import { ELICITATION_FORM } from '../texts/modals.ts';
import { findProblem } from './form/check-value.ts';
import { type Field, toForm } from './form/fields.ts';
import { fieldInputs } from './form/inputs.ts';
import { parseStateValues, readField } from './form/read.ts';
import { modal } from './modal.ts';

/**
 * The form for a server's elicitation, made from its flat schema, with the server's suggestions filled in.
 */
export function elicitationModal(view: NeedView, requestedSchema: JsonObject): ModalView {
  const server = sentence(view.server);
  const form = toForm(requestedSchema, schemaDefaults(requestedSchema), 'plain_labels');
  const inForm = form.fields.filter(({ control }) => control.kind !== 'fixed');
  const isWhole = inForm.length === readProperties(requestedSchema, 'plain_labels').length;
  const inputs: KnownBlock[] = form.fields.flatMap(fieldInputs);
  return modal({
    callbackId: MODALS.form,
    title: server,
    submit: isWhole ? ELICITATION_FORM.submit : null,
    metadata: needKeys(view),
    blocks: [
      richText(
        'asks',
        section(bold(ELICITATION_FORM.asks(server)), text(ELICITATION.before(elicitationTitle(view)))),
        preformatted(clip(visible(view.message), 2500)),
      ),
      ...(isWhole ? inputs : [context('unusable', ELICITATION_FORM.tooMuch)]),
      context('who', ELICITATION_FORM.goesTo(server)),
    ],
  });
}

type ElicitationReading =
  | { readonly content: JsonObject }
  /** Error sentences by `block_id`. */
  | { readonly errors: Readonly<Record<string, string>> };

/**
 * Reads a submitted elicitation form and checks it against the schema's required fields, formats and bounds.
 * `values` is `view.state.values`; throws ZodError for anything Slack wouldn't send.
 */
export function readElicitationForm(requestedSchema: JsonObject, values: unknown): ElicitationReading {
  const state = parseStateValues(values);
  const content: [string, Json][] = [];
  const errors: Record<string, string> = {};
  for (const field of toForm(requestedSchema, schemaDefaults(requestedSchema), 'plain_labels').fields) {
    const reading = readField(field, state);
    if (reading.kind === 'error') errors[fieldBlockId(field)] = reading.message;
    const value =
      reading.kind === 'value' ? reading.value : reading.kind === 'untouched' ? field.value : undefined;
    const problem = value === undefined ? missing(field) : findProblem(field.property, value);
    if (problem !== null) errors[fieldBlockId(field)] ??= problem;
    if (value !== undefined) content.push([field.property.name, value]);
  }
  return Object.keys(errors).length > 0 ? { errors } : { content: Object.fromEntries(content) };
}

/** The block that shows an error about this field; null when the form has no input for it. */
export function answerBlockId(requestedSchema: JsonObject, name: string): string | null {
  const { fields } = toForm(requestedSchema, schemaDefaults(requestedSchema), 'plain_labels');
  const field = fields.find(({ property }) => property.name === name);
  return field === undefined || field.control.kind === 'fixed' ? null : fieldBlockId(field);
}

function missing({ property }: Field): string | null {
  return property.required ? FIELD_ERROR.needed : null;
}

function fieldBlockId({ control, blockId }: Field): string {
  return control.kind === 'local' ? `${blockId}.date` : blockId;
}

function schemaDefaults(schema: JsonObject): JsonObject {
  const defaults = readProperties(schema, 'plain_labels').flatMap(
    ({ name, defaultValue }): [string, Json][] =>
      defaultValue === undefined || defaultValue === null ? [] : [[name, defaultValue]],
  );
  return Object.fromEntries(defaults);
}
