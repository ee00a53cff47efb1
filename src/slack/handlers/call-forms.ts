import type { ViewResponseAction } from '@slack/bolt';
import type { ModalView, RichTextBlock } from '@slack/types';
import type { DecisionInput } from '../../gate/types.ts';
import { type Actor, NewsError, RefusalError } from '../../gate/types.ts';
import type { JsonObject } from '../../lib/json.ts';
import { MODALS } from '../cards/action-ids.ts';
import type { CallReference } from '../cards/action-values.ts';
import type { CallView } from '../cards/call-view.ts';
import { parseSlackPlace } from '../ids.ts';
import { newerMailBlock } from '../inbox/mail-message.ts';
import { readAtOnce } from '../inbox/whole-mail.ts';
import { editFields, editModal, formTool, readEditForm } from '../modals/edit-arguments.ts';
import { type FieldErrors, placeProblems } from '../modals/form/read-form.ts';
import { alsoModal, readActionText } from '../modals/more-actions.ts';
import { readAnswer } from '../modals/question.ts';
import { readFeedback } from '../modals/reject.ts';
import { confirmModal, readTyped, typedErrors } from '../modals/typed-confirmation.ts';
import { MAIL } from '../texts/inbox.ts';
import { MAIL_EDIT } from '../texts/mail-cards.ts';
import { bestEffort } from './best-effort.ts';
import { findCallView, referenceInForm } from './call-modals.ts';
import type { Listeners } from './listeners.ts';
import type { Submission } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { refreshCard } from './refusals.ts';
import { fieldErrors, onSubmit } from './register.ts';

/** Closes all views: what stands below a form shows the call as it was before. */
const CLEARED = { response_action: 'clear' } as const;

type Decision = Omit<DecisionInput, 'callKey' | 'digest' | 'remembered'>;

/** How the forms decide a call as they show it. */
function createDeciding(ports: HandlerPorts) {
  const decide = (reference: CallReference, decision: Decision, by: Actor) =>
    ports.gate.decisions.decide([{ ...reference, ...decision }], by);

  /**
   * Approves a call, and closes all views. Where the form doesn't tell what came since the call was proposed, nothing is approved: it's
   * given anew, with what was filled in, since the fields are the same, and so is the call's card.
   */
  async function approve(
    form: Submission['view'],
    decision: Decision,
    by: Actor,
    toForm: (view: CallView) => ModalView | Promise<ModalView>,
  ): Promise<ViewResponseAction> {
    const reference = referenceInForm(form);
    try {
      await decide(reference, decision, by);
      return CLEARED;
    } catch (error) {
      if (!(error instanceof NewsError)) throw error;
      await bestEffort(ports, refreshCard(ports, error));
      const view = await findCallView(ports, reference.callKey, by);
      return { response_action: 'update', view: await toForm(view) };
    }
  }

  return { decide, approve };
}

/** Handles the forms with which people decide a call: reject, edit, type to confirm, answer and the others. */
export function registerCallForms(on: Listeners, ports: HandlerPorts): void {
  const { decide, approve } = createDeciding(ports);

  /** A form with one field for words, and what they decide. */
  const onWords = (
    callbackId: string,
    read: typeof readActionText,
    toDecision: (words: string) => Decision,
  ) =>
    onSubmit(on, ports, callbackId, async ({ view }, actor) => {
      const reading = read(view.state?.values);
      if ('errors' in reading) return fieldErrors(reading.errors);
      await decide(referenceInForm(view), toDecision(reading.words), actor);
      return CLEARED;
    });
  onWords(MODALS.reject, readFeedback, (feedback) => ({ type: 'reject', feedback, isSentBack: false }));
  onWords(MODALS.feedback, readFeedback, (feedback) => ({ type: 'reject', feedback, isSentBack: true }));
  onWords(MODALS.instead, readActionText, (feedback) => ({ type: 'reject', feedback, instead: true }));
  onWords(MODALS.ignore, readActionText, (feedback) => ({ type: 'ignore', feedback }));
  onWords(MODALS.answer, readAnswer, (feedback) => ({ type: 'answer', feedback }));

  onSubmit(on, ports, MODALS.also, async ({ view: form }, actor) => {
    const reading = readActionText(form.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    return approve(form, { type: 'approve', instruction: reading.words }, actor, alsoModal);
  });
  onSubmit(on, ports, MODALS.confirm, async ({ view: form }, actor) => {
    const { call } = await findCallView(ports, referenceInForm(form).callKey, actor);
    const typed = readTyped(call, form.state?.values);
    try {
      return await approve(form, { type: 'approve', typed }, actor, confirmModal);
    } catch (error) {
      const isTyped = error instanceof RefusalError && error.refusal === 'confirmation_required';
      if (!isTyped) throw error;
      return fieldErrors(typedErrors(call, typed));
    }
  });
  onSubmit(on, ports, MODALS.sayWhy, async (submission, actor) => {
    const reading = readFeedback(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await ports.gate.decisions.giveReason(referenceInForm(submission.view).callKey, actor, reading.words);
    return CLEARED;
  });

  onSubmit(on, ports, MODALS.edit, async ({ view: form }, actor) => {
    const view = await findCallView(ports, referenceInForm(form).callKey, actor);
    const edited = readEdited(ports, view, form.state?.values);
    if ('errors' in edited) return fieldErrors(edited.errors);
    try {
      return await approve(form, { type: 'edit', arguments: edited.arguments }, actor, (now) =>
        buildEditForm(ports, now, actor, { isAskedAgain: true }),
      );
    } catch (error) {
      return besideFields(error, view, form.state?.values);
    }
  });
}

/**
 * The form to edit a call. Of a draft that doesn't know a newer mail it says so, with how that begins if this person may read it and its
 * server gives it at once. What was filled in before stays, since the fields are the same.
 *
 * @param isAskedAgain whether the form was sent without that. @default false
 */
export async function buildEditForm(
  ports: HandlerPorts,
  view: CallView,
  actor: Actor,
  { isAskedAgain = false } = {},
): Promise<ModalView> {
  if (view.newer === null) return editModal(view);
  const words = isAskedAgain ? MAIL_EDIT.newerMeanwhile : MAIL.newerUnknown;
  return editModal(view, { notice: await describeNewer(ports, view, actor, words), isAskedAgain });
}

/**
 * That a newer mail came which a draft doesn't know, with how it begins if this person may read it and its server gives it at once, and
 * in `words`, if any, what that means; nothing where none came.
 */
export async function describeNewer(
  ports: Pick<HandlerPorts, 'inbox' | 'readMail'>,
  { newer, call }: Pick<CallView, 'newer' | 'call'>,
  actor: Actor,
  words = '',
): Promise<readonly RichTextBlock[]> {
  if (newer === null) return [];
  const mailbox = (await ports.inbox.find(newer.id))?.mailbox ?? null;
  const isSeenByAll = mailbox !== null && mailbox.place === parseSlackPlace(call.threadId)?.channel;
  const mayRead = mailbox?.owner.id === actor.id || isSeenByAll;
  const whole = mailbox && mayRead ? await readAtOnce(ports.readMail, mailbox, newer.messageId) : null;
  return [newerMailBlock(newer, whole, words)];
}

type FormView = Pick<CallView, 'call' | 'calendars'>;
type Edited = { readonly arguments: JsonObject } | { readonly errors: FieldErrors };

/** The edited arguments; or all that is wrong with them at once, beside the fields. */
export function readEdited({ gate }: HandlerPorts, view: FormView, state: unknown): Edited {
  const { tool, arguments: args } = view.call;
  const shown = formTool(view);
  const { values, errors } = readEditForm(shown, args, state);
  if (Object.keys(errors).length === 0) return { arguments: values };
  // The others' values may be wrong, too, in a way that only the schema says.
  const others = placeProblems(editFields(shown, args), gate.calls.argumentProblems(tool, values), state);
  return { errors: { ...others, ...errors } };
}

/** The schema errors of an edit, beside the fields they are about. Throws any other error. */
export function besideFields(error: unknown, view: FormView, state: unknown): ViewResponseAction {
  const details = error instanceof RefusalError ? error.details : [];
  const placed = placeProblems(editFields(formTool(view), view.call.arguments), details, state);
  if (placed === null) throw error;
  return fieldErrors(placed);
}
