import type { ViewResponseAction } from '@slack/bolt';
import type { CallRecord, DecisionInput } from '../../gate/types.ts';
import { type Actor, RefusalError } from '../../gate/types.ts';
import type { JsonObject } from '../../lib/json.ts';
import { MODALS } from '../cards/action-ids.ts';
import type { CallReference } from '../cards/action-values.ts';
import { editFields, readEditForm } from '../modals/edit-arguments.ts';
import { type FieldErrors, placeProblems } from '../modals/form/read-form.ts';
import { readActionText } from '../modals/more-actions.ts';
import { readAnswer } from '../modals/question.ts';
import { readFeedback } from '../modals/reject.ts';
import { readTyped, typedErrors } from '../modals/typed-confirmation.ts';
import { findCallView, referenceInForm } from './call-modals.ts';
import type { Listeners } from './listeners.ts';
import type { HandlerPorts } from './ports.ts';
import { fieldErrors, onSubmit } from './register.ts';

/** Closes all views: what stands below a form shows the call as it was before. */
const CLEARED = { response_action: 'clear' } as const;

/** Handles the forms with which people decide a call: reject, edit, type to confirm, answer and the others. */
export function registerCallForms(on: Listeners, ports: HandlerPorts): void {
  const decide = (
    reference: CallReference,
    decision: Omit<DecisionInput, 'callKey' | 'digest' | 'remembered'>,
    by: Actor,
  ) => ports.gate.decisions.decide([{ ...reference, ...decision }], by);

  for (const callbackId of [MODALS.reject, MODALS.feedback]) {
    onSubmit(on, ports, callbackId, async (submission, actor) => {
      const reading = readFeedback(submission.view.state?.values);
      if ('errors' in reading) return fieldErrors(reading.errors);
      const isSentBack = callbackId === MODALS.feedback;
      await decide(
        referenceInForm(submission.view),
        { type: 'reject', feedback: reading.words, isSentBack },
        actor,
      );
      return CLEARED;
    });
  }

  onSubmit(on, ports, MODALS.confirm, async (submission, actor) => {
    const reference = referenceInForm(submission.view);
    const { call } = await findCallView(ports, reference.callKey, actor);
    const typed = readTyped(call, submission.view.state?.values);
    try {
      await decide(reference, { type: 'approve', typed }, actor);
    } catch (error) {
      const isTyped = error instanceof RefusalError && error.refusal === 'confirmation_required';
      if (!isTyped) throw error;
      return fieldErrors(typedErrors(call, typed));
    }
    return CLEARED;
  });
  onSubmit(on, ports, MODALS.also, async (submission, actor) => {
    const reading = readActionText(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await decide(referenceInForm(submission.view), { type: 'approve', instruction: reading.words }, actor);
    return CLEARED;
  });
  onSubmit(on, ports, MODALS.instead, async (submission, actor) => {
    const reading = readActionText(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    const decision = { type: 'reject', feedback: reading.words, instead: true } as const;
    await decide(referenceInForm(submission.view), decision, actor);
    return CLEARED;
  });
  onSubmit(on, ports, MODALS.sayWhy, async (submission, actor) => {
    const reading = readFeedback(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await ports.gate.decisions.giveReason(referenceInForm(submission.view).callKey, actor, reading.words);
    return CLEARED;
  });
  onSubmit(on, ports, MODALS.ignore, async (submission, actor) => {
    const reading = readActionText(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await decide(referenceInForm(submission.view), { type: 'ignore', feedback: reading.words }, actor);
    return CLEARED;
  });

  onSubmit(on, ports, MODALS.answer, async (submission, actor) => {
    const reading = readAnswer(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await decide(referenceInForm(submission.view), { type: 'answer', feedback: reading.words }, actor);
    return CLEARED;
  });

  onSubmit(on, ports, MODALS.edit, async (submission, actor) => {
    const reference = referenceInForm(submission.view);
    const { call } = await findCallView(ports, reference.callKey, actor);
    const edited = readEdited(ports, call, submission.view.state?.values);
    if ('errors' in edited) return fieldErrors(edited.errors);
    try {
      await decide(reference, { type: 'edit', arguments: edited.arguments }, actor);
    } catch (error) {
      return besideFields(error, call);
    }
    return CLEARED;
  });
}

type Edited = { readonly arguments: JsonObject } | { readonly errors: FieldErrors };

/** The edited arguments; or all that is wrong with them at once, beside the fields. */
export function readEdited(
  { gate }: HandlerPorts,
  { tool, arguments: args }: CallRecord,
  state: unknown,
): Edited {
  const { values, errors } = readEditForm(tool, args, state);
  if (Object.keys(errors).length === 0) return { arguments: values };
  // The others' values may be wrong, too, in a way that only the schema says.
  const others = placeProblems(editFields(tool, args), gate.calls.argumentProblems(tool, values));
  return { errors: { ...others, ...errors } };
}

/** The schema errors of an edit, beside the fields they are about. Throws any other error. */
export function besideFields(error: unknown, { tool, arguments: args }: CallRecord): ViewResponseAction {
  const details = error instanceof RefusalError ? error.details : [];
  const placed = placeProblems(editFields(tool, args), details);
  if (placed === null) throw error;
  return fieldErrors(placed);
}
