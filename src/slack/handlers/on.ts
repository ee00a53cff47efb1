import type { App, ViewResponseAction } from '@slack/bolt';
import { RefusalError } from '../../gate/decisions.ts';
import type { Actor } from '../../gate/types.ts';
import { explain, wordsFor, wordsModal } from './explain.ts';
import { actorOf, type Click, clickSchema, type Submission, submissionSchema } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';

/**
 * Listens for a button or menu. Acknowledged first, since Slack waits 3 s; a refusal is explained to the
 * person who clicked, and to nobody else.
 */
export function onClick(
  app: App,
  ports: HandlerPorts,
  actionId: string | RegExp,
  handle: (click: Click, actor: Actor) => Promise<void>,
): void {
  app.action(actionId, async ({ body, ack }) => {
    const click = clickSchema.parse(body);
    await ack();
    try {
      await handle(click, await actorOf(click, ports.directory));
    } catch (error) {
      await explain(ports, click, error);
    }
  });
}

/**
 * Listens for a modal being submitted. What `handle` gives back answers it: null closes the modal, errors
 * stand beside their fields. It is answered after the decision is durable, so a modal that closed is done.
 */
export function onSubmit(
  app: App,
  ports: HandlerPorts,
  callbackId: string,
  handle: (submission: Submission, actor: Actor) => Promise<ViewResponseAction | null>,
): void {
  app.view(callbackId, async ({ body, ack }) => {
    const submission = submissionSchema.parse(body);
    try {
      const response = await handle(submission, await actorOf(submission, ports.directory));
      await (response ? ack(response) : ack());
    } catch (error) {
      if (!(error instanceof RefusalError)) ports.log.error({ err: error, callbackId }, 'a form failed');
      await ack({ response_action: 'update', view: wordsModal('Nothing was done', wordsFor(error)) });
    }
  });
}

/** The answer that puts sentences beside the fields of a form. */
export function fieldErrors(errors: Readonly<Record<string, string>>): ViewResponseAction {
  return { response_action: 'errors', errors: { ...errors } };
}
