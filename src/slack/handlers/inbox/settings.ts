import { z } from 'zod';
import { type Actor, RefusalError } from '../../../gate/types.ts';
import { listRules, type Mailbox, type Preference } from '../../../inbox/ports.ts';
import { ACTIONS, MODALS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import {
  learnedModal,
  preferenceModal,
  readPreference,
  readRules,
  rulesModal,
  savedModal,
} from '../../inbox/forms.ts';
import { readModalKeys } from '../../modals/modal.ts';
import { INBOX, INBOX_DONE } from '../../texts/inbox.ts';
import { bestEffort } from '../best-effort.ts';
import type { Listeners } from '../listeners.ts';
import { type Click, clickedThread, clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { fieldErrors, onClick, onSubmit } from '../register.ts';
import { describeTurnedOn, turnOnMailbox } from './command.ts';
import { readHistory } from './lists.ts';

const paceSchema = z
  .string()
  .regex(/^(?:now|hourly|daily):/)
  .transform((value) => {
    const [pace, ...server] = value.split(':');
    return { pace: z.enum(['now', 'hourly', 'daily']).parse(pace), server: server.join(':') };
  });

/** Handles how people want their mailboxes, and what was learned of them. Whoever clicks only ever reaches their own. */
export function registerInboxSettings(on: Listeners, ports: HandlerPorts): void {
  registerMailboxes(on, ports);
  registerLearned(on, ports);
}

function registerMailboxes(on: Listeners, ports: HandlerPorts): void {
  const { inbox, homes, client } = ports;

  onClick(on, ports, ACTIONS.turnOnInbox, async (click, actor) => {
    const server = clickedValue(click);
    const mailbox = await turnOnMailbox(ports, actor, server);
    await tellDone(ports, click, actor, await describeTurnedOn(ports, mailbox));
  });

  onClick(on, ports, ACTIONS.turnOffInbox, async (click, actor) => {
    const { server } = await inbox.turnOff(actor, clickedValue(click));
    await tellDone(ports, click, actor, INBOX_DONE.turnedOff(server));
  });

  onClick(on, ports, ACTIONS.inboxPace, async (click, actor) => {
    const chosen = paceSchema.safeParse(clickedValue(click));
    if (!chosen.success) return;
    const { pace, server } = chosen.data;
    const { id } = await findOwn(actor, (one) => one.server === server);
    await inbox.set(actor.id, id, { pace });
    await tellDone(ports, click, actor, INBOX_DONE.paced(server, INBOX.pace[pace]));
  });

  onClick(on, ports, ACTIONS.editInbox, async (click, actor) => {
    const view = rulesModal(await findOwn(actor, ({ id }) => id === clickedValue(click)));
    await client.views.open({ trigger_id: click.trigger_id, view });
  });

  onSubmit(on, ports, MODALS.editInbox, async ({ view }, actor) => {
    const { id } = readModalKeys(view.private_metadata);
    const known = new Set((await inbox.settingChanges(actor.id)).map((change) => change.id));
    const typed = readRules(view.state?.values);
    const mailbox = await inbox.set(actor.id, String(id), typed);
    const changes = (await inbox.settingChanges(actor.id)).filter(
      (change) => change.server === mailbox.server && !known.has(change.id),
    );
    await homes.changed([actor.id]);
    const isAsTyped = listRules(typed.rules).length === listRules(mailbox.rules).length;
    if (changes.length === 0 && isAsTyped) return null;
    return { response_action: 'update', view: savedModal(mailbox, changes, typed.rules) };
  });

  async function findOwn(actor: Actor, isIt: (one: Mailbox) => boolean): Promise<Mailbox> {
    const found = (await inbox.list(actor.id)).find(isIt);
    if (!found) throw new RefusalError('not_applicable', INBOX_DONE.gone);
    return found;
  }
}

function registerLearned(on: Listeners, ports: HandlerPorts): void {
  const { inbox, homes, client } = ports;

  onClick(on, ports, ACTIONS.showLearned, async (click, actor) => {
    const view = learnedModal(await inbox.preferences(actor.id));
    await client.views.open({ trigger_id: click.trigger_id, view });
  });

  onClick(on, ports, ACTIONS.learnedItem, async (click, actor) => {
    const [, verb, id = ''] = /^(edit|forget):(.+)$/s.exec(clickedValue(click)) ?? [];
    const list = click.view?.type === 'modal' ? click.view.id : '';
    if (verb === 'edit') {
      const view = preferenceModal(await findPreference(actor, id), list);
      // In a view that lists them, the form stands above it.
      return void (await client.views[list === '' ? 'open' : 'push']({ trigger_id: click.trigger_id, view }));
    }
    await inbox.forgetPreference(actor.id, id);
    await showList(list, actor);
    await tellDone(ports, click, actor, INBOX_DONE.forgotten);
  });

  onSubmit(on, ports, MODALS.editLearned, async ({ view }, actor) => {
    const reading = readPreference(view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    const { id, list = '' } = readModalKeys(view.private_metadata);
    await inbox.changePreference(actor.id, String(id), reading.words);
    await homes.changed([actor.id]);
    await showList(String(list), actor);
    return null;
  });

  onClick(on, ports, ACTIONS.inboxHistory, async (click, actor) => {
    const view = await readHistory(ports, actor.id);
    await client.views.open({ trigger_id: click.trigger_id, view });
  });

  /** Shows in a view what is kept now. */
  async function showList(viewId: string, { id }: Actor): Promise<void> {
    if (viewId === '') return;
    const view = learnedModal(await inbox.preferences(id));
    await bestEffort(ports, client.views.update({ view_id: viewId, view }));
  }

  async function findPreference(actor: Actor, id: string): Promise<Preference> {
    const found = (await inbox.preferences(actor.id)).find((one) => one.id === id);
    if (!found) throw new RefusalError('not_applicable', INBOX_DONE.goneLearned);
    return found;
  }
}

/** Home shows what came of it. A message can't, so it's said below that. */
async function tellDone(ports: HandlerPorts, click: Click, actor: Actor, words: string): Promise<void> {
  await ports.homes.changed([actor.id]);
  if (click.channel === undefined || click.view !== undefined) return;
  const told = { channel: click.channel.id, user: click.user.id, ...clickedThread(click) };
  await bestEffort(ports, ports.client.chat.postEphemeral({ ...told, ...plainLine(words) }));
}
