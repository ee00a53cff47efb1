import type { RespondFn, ViewResponseAction } from '@slack/bolt';
import { type Actor, type Attempt, RepeatedDecisionError } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import { readModalKeys } from '../modals/modal.ts';
import { toActor } from '../people/actor.ts';
import type { Listeners } from './listeners.ts';
import { type Click, clickSchema, readAttempt, type Submission, submissionSchema } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { explainRefusal, refreshCard, refusalText, refusalTitle, textModal } from './refusals.ts';

/**
 * Registers a handler for a button or menu. It acknowledges last, within Slack's 3 s, so that whatever Slack
 * takes as done is on record even after a crash. A refusal is explained only to the person who clicked.
 */
export function onClick(
  on: Listeners,
  ports: HandlerPorts,
  actionId: string,
  handle: (click: Click, actor: Actor, respond: RespondFn) => Promise<void>,
): void {
  on.click(actionId, async ({ body, ack, respond }) => {
    const click = clickSchema.parse(body);
    try {
      const actor = await toActor(ports, click.user.id);
      if (click.view?.type === 'home') ports.homes.used(actor.id);
      await handle(click, actor, respond).catch((error: unknown) =>
        recordAndRethrow(ports, error, readAttempt(click, actor)),
      );
    } catch (error) {
      await explainRefusal(ports, click, error);
    }
    await ack();
  });
}

/**
 * Registers a handler for a modal's submission. The result of `handle` answers it: null closes the modal,
 * errors are shown beside their fields. It answers after the decision is durable, so a closed modal means it
 * is done.
 */
export function onSubmit(
  on: Listeners,
  ports: HandlerPorts,
  callbackId: string,
  handle: (submission: Submission, actor: Actor) => Promise<ViewResponseAction | null>,
): void {
  on.form(callbackId, async ({ body, ack }) => {
    const submission = submissionSchema.parse(body);
    const response = await responseTo(submission);
    await ack(response ?? undefined);
  });

  async function responseTo(submission: Submission): Promise<ViewResponseAction | null> {
    try {
      const actor = await toActor(ports, submission.user.id);
      const names = Object.values(readModalKeys(submission.view.private_metadata)).map(String);
      return await handle(submission, actor).catch((error: unknown) =>
        recordAndRethrow(ports, error, { actor, attempt: callbackId, ids: names }),
      );
    } catch (error) {
      if (!(error instanceof AppError)) ports.log.error({ err: error, callbackId }, 'form failed');
      refreshCard(ports, error).catch((cause: unknown) =>
        ports.log.warn({ err: cause }, 'failed to refresh a card'),
      );
      // They sent the same form twice, and it counts.
      if (error instanceof RepeatedDecisionError) return null;
      return { response_action: 'update', view: textModal(refusalTitle(error), refusalText(error)) };
    }
  }
}

/** Records a refused attempt in the audit; other errors aren't recorded. */
async function recordAndRethrow({ gate }: HandlerPorts, error: unknown, attempt: Attempt): Promise<never> {
  await gate.audit.recordRefusal(error, attempt);
  throw error;
}

/** The answer that shows errors beside the fields of a form. */
export function fieldErrors(errors: Readonly<Record<string, string>>): ViewResponseAction {
  return { response_action: 'errors', errors: { ...errors } };
}
