import type { Actor } from '../../gate/types.ts';
import { RefusalError } from '../../gate/types.ts';
import { nameTool } from '../../presentation/text/title.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { type CallView, summarizeCall } from '../cards/call-view.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { reassignedLine } from '../cards/turn-messages.ts';
import { readSlackUser } from '../ids.ts';
import { outOfOfficeModal, PERSON_BLOCK, readOutOfOffice, readPerson } from '../modals/delegation.ts';
import { type GrantModalContext, grantModal, readGrant } from '../modals/grant.ts';
import { toActor } from '../people/actor.ts';
import { delegationNotice } from '../texts/commands.ts';
import { NOBODY_CHOSEN, NOT_FULLY_SHOWN, revoked } from '../texts/refusals.ts';
import { bestEffort } from './best-effort.ts';
import { findCallView, referenceInForm } from './call-modals.ts';
import { notifyPerson, refreshAfterDelegation } from './direct-message.ts';
import type { Listeners } from './listeners.ts';
import { clickedValue, type Submission } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { fieldErrors, onClick, onSubmit } from './register.ts';

/** Handles grants and delegation: their forms, and the buttons in Home. */
export function registerGrantsAndDelegation(on: Listeners, ports: HandlerPorts): void {
  onSubmit(on, ports, MODALS.remember, async (submission, actor) => {
    const { callKey, ...shown } = referenceInForm(submission.view);
    const view = await findCallView(ports, callKey, actor);
    const reading = readGrant(view, submission.view.state?.values, await contextFor(ports, actor));
    if ('errors' in reading) return fieldErrors(reading.errors);
    await ports.gate.grants.approveAndIssue(callKey, actor, { ...shown, terms: reading.terms });
    await ports.homes.changed([actor.id]);
    return null;
  });

  onSubmit(on, ports, MODALS.handOver, async (submission, actor) => {
    const { callKey, digest } = referenceInForm(submission.view);
    return personError(async () => {
      const to = await personIn(submission);
      await ports.gate.delegation.reassign(callKey, actor, { to, digest });
      await ports.homes.changed([actor.id, to.id]);
      const view = await findCallView(ports, callKey, to);
      void notifyPerson(ports, to, reassignedLine(view, actor.name, ports.threadUrl));
    });
  });

  onSubmit(on, ports, MODALS.outOfOffice, async (submission, actor) => {
    const { now, timeZone } = await contextFor(ports, actor);
    const reading = readOutOfOffice(submission.view.state?.values, now, timeZone);
    if ('errors' in reading) return fieldErrors(reading.errors);
    return personError(async () => {
      const to = await personIn(submission);
      await ports.gate.delegation.delegate({ to, ...reading }, actor);
      await refreshAfterDelegation(ports, actor, to);
      void notifyPerson(ports, to, plainLine(delegationNotice(actor.name)));
    });
  });

  onClick(on, ports, ACTIONS.outOfOffice, async (click, actor) => {
    const { now, timeZone } = await contextFor(ports, actor);
    const view = outOfOfficeModal(now, timeZone);
    await ports.client.views.open({ trigger_id: click.trigger_id, view });
  });

  onClick(on, ports, `${ACTIONS.endDelegation}*`, async (click, actor) => {
    const { to } = await ports.gate.delegation.end(clickedValue(click), actor);
    await refreshAfterDelegation(ports, actor, to);
  });

  onClick(on, ports, ACTIONS.revokeGrant, async (click, actor) => {
    const { tool } = await ports.gate.grants.revoke(clickedValue(click), actor);
    await ports.homes.changed([actor.id]);
    if (click.view || !click.channel) return;
    // In an ephemeral list, nothing else shows that it was done.
    const notice = { channel: click.channel.id, user: click.user.id, ...plainLine(revoked(nameTool(tool))) };
    await bestEffort(ports, ports.client.chat.postEphemeral(notice));
  });

  /** The person who was picked. */
  async function personIn({ view }: Submission): Promise<Actor> {
    const user = readPerson(view.state?.values);
    if (user === null) throw new RefusalError('not_applicable', NOBODY_CHOSEN);
    return toActor(ports, user);
  }
}

/** A refusal because of the person is shown beside them, so that another one can be picked. */
async function personError(act: () => Promise<void>) {
  try {
    await act();
    return null;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal === 'not_applicable') {
      return fieldErrors({ [PERSON_BLOCK]: error.userMessage });
    }
    throw error;
  }
}

/** The grant form for this call, if this person may give a grant. */
export async function buildGrantModal(ports: HandlerPorts, view: CallView, actor: Actor) {
  await ports.gate.grants.checkIssuable(view.callKey, actor);
  return grantModal(requireFullyShown(view), await contextFor(ports, actor));
}

/** The call, if a form shows all of it. A truncated call can only be approved where all of it is visible. */
export function requireFullyShown(view: CallView): CallView {
  if (!summarizeCall(view).incomplete) return view;
  throw new RefusalError('not_applicable', NOT_FULLY_SHOWN, view.call);
}

async function contextFor(ports: HandlerPorts, actor: Actor): Promise<GrantModalContext> {
  const { timeZone } = await ports.directory.resolverFor([], readSlackUser(actor.id));
  return { viewerId: actor.id, now: ports.clock(), timeZone, limits: ports.gate.grants.limits };
}
