import type { App } from '@slack/bolt';
import { RefusalError } from '../../gate/decisions.ts';
import type { Actor, Need } from '../../gate/types.ts';
import { ACTIONS, MODALS } from '../cards/actions.ts';
import type { CallView } from '../cards/call-view.ts';
import { connectModal } from '../modals/connect.ts';
import { elicitationModal, readElicitationForm } from '../modals/elicitation.ts';
import { modalKeys } from '../modals/modal.ts';
import { needView } from '../views.ts';
import { fieldErrors, onClick, onSubmit } from './on.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { refreshView } from './refresh-view.ts';

type Form = Extract<Need, { kind: 'form_elicitation' }>;

/** What a server wants of a person while a call waits: a sign-in, or a form. */
export function registerNeeds(app: App, ports: HandlerPorts): void {
  onClick(app, ports, ACTIONS.connectLink, async (click, actor) => {
    const view = await own(clickedValue(click), actor);
    if (view.call.need?.kind !== 'oauth_url') throw over();
    const link = connectModal(needView(view), view.call.need.url);
    await ports.client.views.open({ trigger_id: click.trigger_id, view: link });
  });

  // Slack opens the link by itself, and reports the click all the same.
  onClick(app, ports, ACTIONS.connectOpen, async () => undefined);

  onClick(app, ports, ACTIONS.connectRetry, async (click, actor) => {
    await ports.gate.retry(clickedValue(click), actor);
    await refreshView(ports, click, 'Trying again', 'The thread shows what comes of it.');
  });

  onClick(app, ports, ACTIONS.openForm, async (click, actor) => {
    const view = await own(clickedValue(click), actor);
    const form = elicitationModal(needView(view), formOf(view).requestedSchema);
    await ports.client.views.open({ trigger_id: click.trigger_id, view: form });
  });

  onClick(app, ports, ACTIONS.declineForm, async (click, actor) => {
    const view = await own(clickedValue(click), actor);
    const answer = { action: 'decline', content: null } as const;
    await ports.gate.answerElicitation(view.callKey, formOf(view).elicitationId, answer, actor);
  });

  onSubmit(app, ports, MODALS.form, async (submission, actor) => {
    const view = await own(String(modalKeys(submission.view.private_metadata).callKey), actor);
    const form = formOf(view);
    const reading = readElicitationForm(form.requestedSchema, submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    const answer = { action: 'accept', content: reading.content } as const;
    await ports.gate.answerElicitation(view.callKey, form.elicitationId, answer, actor);
    return null;
  });

  /** The call, if it is this person's: what a server asks one person, nobody else sees or answers. */
  async function own(key: string, actor: Actor): Promise<CallView> {
    const view = await ports.views.call(key);
    if (!view) throw new RefusalError('unknown_call', 'There is no such action. Nothing was done.');
    await ports.gate.checkAnswerable(key, actor);
    if (!view.call.need) throw over(view);
    return view;
  }
}

function formOf(view: CallView): Form {
  if (view.call.need?.kind !== 'form_elicitation') throw over(view);
  return view.call.need;
}

function over(view?: CallView): RefusalError {
  const words = 'The server does not wait for this any more. Nothing was changed.';
  return new RefusalError('already_decided', words, view?.call ?? null);
}
