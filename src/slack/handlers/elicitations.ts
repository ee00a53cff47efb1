import type { ModalView } from '@slack/types';
import type { Actor, Need } from '../../gate/types.ts';
import { RefusalError } from '../../gate/types.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import type { CallView } from '../cards/call-view.ts';
import type { NeedView } from '../cards/elicitation-cards.ts';
import { connectModal, ownConnectModal } from '../modals/connect.ts';
import { elicitationFields, elicitationModal, readElicitationForm } from '../modals/elicitation.ts';
import { placeProblems } from '../modals/form/read-form.ts';
import { readModalKeys } from '../modals/modal.ts';
import { openPageModal } from '../modals/open-page.ts';
import { samplingModal } from '../modals/sampling-consent.ts';
import { ELICITATION_OVER, RETRYING } from '../texts/refusals.ts';
import { needView } from '../views/call-views.ts';
import { findCallView } from './call-modals.ts';
import type { Listeners } from './listeners.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { refreshView } from './refusals.ts';
import { fieldErrors, onClick, onSubmit } from './register.ts';

type Form = Extract<Need, { kind: 'form_elicitation' }>;

/** Handles what a server needs from a person while a call waits: a sign-in, a form, a page or a consent. */
export function registerElicitations(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.connectLink, async (click, actor) => {
    const view = await own(clickedValue(click), actor);
    if (view.call.need?.kind !== 'oauth_url') throw over();
    const { connect, url } = view.call.need;
    const link = connect
      ? ownConnectModal({
          server: connect.server,
          url: await ports.connections.link({ ...connect, person: actor, callKey: view.callKey }),
          lifetimeMs: ports.connections.linkLifetimeMs,
          why: view.call.need.message,
        })
      : connectModal(needView(view), url);
    await ports.client.views.open({ trigger_id: click.trigger_id, view: link });
  });

  // Slack opens the link itself and still reports the click, which must be acknowledged.
  onClick(on, ports, ACTIONS.connectOpen, async () => undefined);

  onClick(on, ports, ACTIONS.connectRetry, async (click, actor) => {
    await ports.gate.elicitation.retry(clickedValue(click), actor);
    await refreshView(ports, click, ...RETRYING);
  });

  onClick(on, ports, ACTIONS.openForm, async (click, actor) => {
    const view = await own(clickedValue(click), actor);
    const form = elicitationModalFor(needView(view), formParts(view));
    await ports.client.views.open({ trigger_id: click.trigger_id, view: form });
  });

  onClick(on, ports, ACTIONS.declineForm, async (click, actor) => {
    const view = await own(clickedValue(click), actor);
    const answer = { action: 'decline', content: null } as const;
    await ports.gate.elicitation.answer(view.callKey, actor, {
      elicitationId: formParts(view).elicitationId,
      answer,
    });
  });

  onSubmit(on, ports, MODALS.form, async (submission, actor) => {
    const { callKey, elicitationId } = readModalKeys(submission.view.private_metadata);
    const view = await own(String(callKey), actor);
    const form = formParts(view);
    if (form.elicitationId !== elicitationId) throw over(view);
    const isFilledIn = form.url === undefined && form.sampling === undefined;
    const values = submission.view.state?.values;
    const reading = isFilledIn ? readElicitationForm(form.requestedSchema, values) : { content: null };
    if ('errors' in reading) return fieldErrors(reading.errors);
    const answer = { action: 'accept', content: reading.content } as const;
    try {
      await ports.gate.elicitation.answer(view.callKey, actor, {
        elicitationId: form.elicitationId,
        answer,
      });
    } catch (error) {
      const details = error instanceof RefusalError ? error.details : [];
      const beside = placeProblems(elicitationFields(form.requestedSchema), details);
      if (beside !== null) return fieldErrors(beside);
      throw error;
    }
    return null;
  });

  /** The call, if the server asks this person. Nobody else may see or answer it. */
  async function own(key: string, actor: Actor): Promise<CallView> {
    const view = await findCallView(ports, key, actor);
    await ports.gate.elicitation.checkAnswerable(key, actor);
    if (!view.call.need) throw over(view);
    return view;
  }
}

function elicitationModalFor(view: NeedView, { requestedSchema, url, sampling }: Form): ModalView {
  if (sampling !== undefined) return samplingModal(view);
  return url === undefined ? elicitationModal(view, requestedSchema) : openPageModal(view, url);
}

function formParts(view: CallView): Form {
  if (view.call.need?.kind !== 'form_elicitation') throw over(view);
  return view.call.need;
}

function over(view?: CallView): RefusalError {
  const words =
    view?.call.elicitationAnswer?.by === 'server'
      ? ELICITATION_OVER.doneByServer(view.call.tool.server)
      : ELICITATION_OVER.notAsked;
  return new RefusalError('already_decided', words, view?.call ?? null);
}
