import { callKey } from '../../src/gate/call/digest.ts';
import type { Mailbox, NewerMails } from '../../src/inbox/ports.ts';
import { isJsonObject, type Json } from '../../src/lib/json.ts';
import { ACTIONS } from '../../src/slack/cards/action-ids.ts';
import { createFakeHub } from './fake-hub.ts';
import { MAIL_ID, mailTools, STANDING_WISH, sentBy, withInbox } from './inbox-agent.ts';
import { ana, THREAD } from './people.ts';
import { openSlackApp } from './slack-app.ts';

const MAILBOX: Mailbox = {
  ...{ id: `${ana.id}:mail`, owner: ana, server: 'mail', place: null, isOn: true, pace: 'now' },
  ...{ background: '', rules: '', timeZone: 'UTC', problem: null },
};

/** A mail of the conversation that is answered. */
export function newerMail(id: string): NewerMails {
  return {
    ...{ id: `${MAILBOX.id}:${id}`, mailboxId: MAILBOX.id, messageId: id, mailId: '', threadId: 't' },
    ...{ from: 'Cy <cy@other.test>', subject: 'Re: Lunch', arrivedAt: 1, verdict: 'notify', reason: '' },
    ...{ state: 'listed', slackThread: THREAD, all: [`${MAILBOX.id}:${id}`] },
  };
}

/** Drafts of replies to a mail wait, as `r` and whatever follows; newer mails come as the test says. */
export async function openWaitingDrafts({
  mailbox = {},
  ids = ['r'],
}: {
  readonly mailbox?: Partial<Mailbox>;
  readonly ids?: readonly string[];
} = {}) {
  const slack = await openSlackApp(withInbox({ hub: createFakeHub(...mailTools()) }));
  const { network, mailboxes } = slack;
  const { inbox, reading } = mailboxes;
  const args = { message_id: MAIL_ID, to: ['cy@other.test'], body: 'Yes.' };
  network.model.script(
    { calls: ids.map((id) => ({ id, name: 'send_email', args })) },
    { calls: [{ id: 'd', name: 'Done', args: {} }] },
  );
  await network.say(STANDING_WISH, { graph: 'inbox' });
  inbox.find = async (id) => ({
    mail: newerMail(id.split(':').at(-1) ?? ''),
    mailbox: { ...MAILBOX, ...mailbox },
  });
  reading.instead = async (_mailbox, id) => ({
    message: { from: 'Cy <cy@other.test>', text: `No, not ${id}.` },
  });
  const view = async (id = 'r') => {
    const found = await slack.ports.views.card(network.keyOf(id));
    if (found === null) throw new Error(`there is no ${id}`);
    return found;
  };
  return {
    ...{ slack, network, api: slack.api, view },
    reference: { callKey: callKey(THREAD, 'r'), digest: (await network.call('r')).digest },
    comes: (id: string) => {
      inbox.newerThan = async () => newerMail(id);
    },
    sent: () => sentBy(network).filter(([name]) => name === 'reply_to_message'),
  };
}

/** The value of the button Accept in these blocks, or in this view. */
export function acceptIn(shown: unknown): string {
  const found: string[] = [];
  const visit = (value: Json): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isJsonObject(value)) return;
    if (value.action_id === ACTIONS.approve && typeof value.value === 'string') found.push(value.value);
    for (const one of Object.values(value)) visit(one);
  };
  visit(JSON.parse(JSON.stringify(shown)));
  const [value] = found;
  if (value === undefined) throw new Error('there is no Accept');
  return value;
}
