import type { KnownBlock, ModalView } from '@slack/types';
import type { Json, JsonObject } from '../../lib/json.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { readProperties } from '../../presentation/schema-labels.ts';
import { clip } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { MODALS } from '../cards/action-ids.ts';
import { elicitationTitle, type NeedView, needKeys } from '../cards/elicitation-cards.ts';
import { context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { ELICITATION_FORM } from '../texts/modals.ts';
import { type Field, toForm } from './form/fields.ts';
import { fieldInputs } from './form/inputs.ts';
import { type FieldErrors, findMissing, readForm } from './form/read-form.ts';
import { modal } from './modal.ts';

/**
 * The form for a server's elicitation, made from its flat schema, with the server's suggestions filled in.
 */
export function elicitationModal(view: NeedView, requestedSchema: JsonObject): ModalView {
  const server = sentence(view.server);
  const fields = elicitationFields(requestedSchema);
  const inForm = fields.filter(({ control }) => control.kind !== 'fixed');
  const names = new Set(inForm.map(({ property, objects }) => (objects[0] ?? property).name));
  const isWhole = names.size === readProperties(requestedSchema, 'plain_labels').length;
  const inputs: KnownBlock[] = fields.flatMap(fieldInputs);
  return modal({
    callbackId: MODALS.form,
    title: ELICITATION_FORM.asks(server),
    submit: isWhole ? ELICITATION_FORM.submit : null,
    metadata: needKeys(view),
    blocks: [
      richText(
        'asks',
        section(text(ELICITATION_FORM.before(elicitationTitle(view)))),
        preformatted(clip(visible(view.message), 2500)),
      ),
      ...(isWhole ? inputs : [context('unusable', ELICITATION_FORM.tooMuch)]),
      context('who', ELICITATION_FORM.goesTo(server)),
    ],
  });
}

type ElicitationReading = { readonly content: JsonObject } | { readonly errors: FieldErrors };

/**
 * Reads a submitted elicitation form and checks it against the schema's required fields, formats and bounds.
 * `values` is `view.state.values`; throws ZodError for anything Slack wouldn't send.
 */
export function readElicitationForm(requestedSchema: JsonObject, values: unknown): ElicitationReading {
  const fields = elicitationFields(requestedSchema);
  const reading = readForm(fields, schemaDefaults(requestedSchema), values);
  const errors = { ...findMissing(fields, reading.values), ...reading.errors };
  return Object.keys(errors).length > 0 ? { errors } : { content: reading.values };
}

/** The fields of a server's form. */
export function elicitationFields(requestedSchema: JsonObject): readonly Field[] {
  return toForm(requestedSchema, schemaDefaults(requestedSchema), 'plain_labels').fields;
}

function schemaDefaults(schema: JsonObject): JsonObject {
  const defaults = readProperties(schema, 'plain_labels').flatMap(
    ({ name, defaultValue }): [string, Json][] =>
      defaultValue === undefined || defaultValue === null ? [] : [[name, defaultValue]],
  );
  return Object.fromEntries(defaults);
}
