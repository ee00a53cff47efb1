import { RefusalError } from '../../gate/types.ts';
import { plainLine } from '../cards/plain-messages.ts';
import type { AnswerUnknown } from '../client/receiver.ts';
import { toActor } from '../people/actor.ts';
import { OTHER_VERSION, REFUSAL_TITLE } from '../texts/refusals.ts';
import { clickSchema, readAttempt } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { explainRefusal, textModal } from './refusals.ts';

/** Answers whoever used a button, form or command that has no handler. */
export function answerUnknownAction(ports: HandlerPorts): AnswerUnknown {
  return async (body, ack) => {
    if (body.type === 'view_submission') {
      return ack({ response_action: 'update', view: textModal(REFUSAL_TITLE.nothingDone, OTHER_VERSION) });
    }
    if (typeof body.command === 'string')
      return ack({ response_type: 'ephemeral', ...plainLine(OTHER_VERSION) });
    await ack();
    const click = clickSchema.safeParse(body);
    if (!click.success) return;
    const refusal = new RefusalError('unknown_call', OTHER_VERSION);
    const actor = await toActor(ports, click.data.user.id);
    await ports.gate.audit.recordRefusal(refusal, readAttempt(click.data, actor));
    await explainRefusal(ports, click.data, refusal);
  };
}
