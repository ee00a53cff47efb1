import type { KnownBlock } from '@slack/types';
import { type Actor, RefusalError } from '../../../gate/types.ts';
import { type DigestPace, findRule, listRules, type Mailbox, type TurnedOn } from '../../../inbox/ports.ts';
import { clip } from '../../../presentation/text/clip.ts';
import { isTimeZone } from '../../../presentation/text/time.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { inboxList } from '../../home/inbox.ts';
import { readSlackUser } from '../../ids.ts';
import type { ListState } from '../../inbox/digest-message.ts';
import { LONGEST_RULES } from '../../inbox/forms.ts';
import { rulesMessage } from '../../inbox/rules-message.ts';
import { nameWhere } from '../../schedules/places.ts';
import {
  actions,
  bold,
  button,
  context,
  type Message,
  richText,
  section,
  text,
} from '../../text/block-kit.ts';
import { listMessage } from '../../text/list-message.ts';
import { INBOX, INBOX_DONE } from '../../texts/inbox.ts';
import { incomingText } from '../message-text.ts';
import type { HandlerPorts } from '../ports.ts';
import { assertPlace } from '../schedules/place-problem.ts';
import { readMails } from './lists.ts';

/** More than a server's name has. */
const LONGEST_NAME = 100;

interface Typed {
  readonly actor: Actor;
  /** What follows the verb. */
  readonly words: string;
}

type Answer = (ports: HandlerPorts, typed: Typed) => Promise<Message<KnownBlock>>;

const setPace =
  (pace: DigestPace): Answer =>
  async (ports, { actor, words }) => {
    const mailbox = await findMailbox(ports, actor, { typed: pace, server: words, isOn: true });
    await ports.inbox.set(actor.id, mailbox.id, { pace });
    return plainLine(INBOX_DONE.paced(mailbox.server, INBOX.pace[pace]));
  };

function listMails(typed: string, state: ListState): Answer {
  return async (ports, { actor, words }) => {
    const mailbox = await findMailbox(ports, actor, { typed, server: words, isOn: false });
    return readMails(ports, mailbox, { state, after: null });
  };
}

/** What each word after `/countersign inbox` does. */
const VERBS: Readonly<Record<string, Answer>> = {
  '': async ({ inboxView }, { actor }) => inboxList(await inboxView(actor.id)),
  on: turnOn,
  off: turnOff,
  now: setPace('now'),
  hourly: setPace('hourly'),
  daily: setPace('daily'),
  rules: addRule,
  mails: listMails('mails', 'listed'),
  ignored: listMails('ignored', 'ignored'),
};

/**
 * Carries out `/countersign inbox …`.
 * @throws RefusalError for a mailbox that isn't there or can't be watched, and for words that say nothing.
 */
export async function inboxText(
  ports: HandlerPorts,
  { actor, rest }: { readonly actor: Actor; readonly rest: string },
): Promise<Message<KnownBlock>> {
  const [, verb = '', words = ''] = /^\s*(\S*)\s*(.*)$/s.exec(rest) ?? [];
  const name = verb.toLowerCase();
  const answer = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  return answer ? answer(ports, { actor, words: words.trim() }) : plainLine(INBOX_DONE.howTo);
}

async function turnOn(ports: HandlerPorts, { actor, words }: Typed): Promise<Message<KnownBlock>> {
  const mailbox = await turnOnMailbox(ports, actor, await chooseServer(ports, actor, words));
  const title = await describeTurnedOn(ports, mailbox);
  return listMessage(title, [
    richText('inbox:on', section(bold(title), text(`\n${INBOX.pace[mailbox.pace]}`))),
    context('inbox:as', INBOX_DONE.asYou),
    ...(mailbox.place === null ? [] : [context('inbox:shared', INBOX_DONE.shared)]),
    actions('inbox:actions', button(ACTIONS.editInbox, INBOX.edit, mailbox.id)),
  ]);
}

/** What is looked at from now on, where it's told, and what comes next. */
export async function describeTurnedOn({ directory }: HandlerPorts, mailbox: TurnedOn): Promise<string> {
  const where = await nameWhere(mailbox, directory);
  if (mailbox.begun === null) return INBOX_DONE.wasOn(mailbox.server, where);
  return `${INBOX_DONE.turnedOn(mailbox.server, where)} ${INBOX_DONE.begins(mailbox.begun)}`;
}

/** Watches a mailbox of somebody's, wherever they say so: it's told of where it belongs. @throws RefusalError where that can't be. */
export async function turnOnMailbox(ports: HandlerPorts, owner: Actor, server: string): Promise<TurnedOn> {
  const { inbox } = ports;
  if (!inbox.isEnabled) throw refusal(INBOX.notHere);
  const servers = inbox.servers(owner.id);
  if (!servers.includes(server)) throw refusal(INBOX_DONE.unknown(toName(server), servers));
  await assertPlace(ports, { owner, place: inbox.placeOf(server) }, INBOX_DONE);
  const { timeZone: zone } = await ports.directory.resolverFor([], readSlackUser(owner.id));
  return ports.inbox.turnOn(owner, { server, timeZone: isTimeZone(zone) ? zone : 'UTC' });
}

/** The server that is named, or the only one that isn't watched yet, or the only one. */
async function chooseServer({ inbox }: HandlerPorts, actor: Actor, typed: string): Promise<string> {
  const { isEnabled } = inbox;
  const servers = inbox.servers(actor.id);
  if (!isEnabled) throw refusal(INBOX.notHere);
  if (servers.length === 0) throw refusal(INBOX.noServers);
  if (typed !== '') {
    const named = servers.find((server) => server.toLowerCase() === typed.toLowerCase());
    if (named === undefined) throw refusal(INBOX_DONE.unknown(toName(typed), servers));
    return named;
  }
  const watched = (await inbox.list(actor.id)).filter(({ isOn }) => isOn).map(({ server }) => server);
  const others = servers.filter((server) => !watched.includes(server));
  const choices = others.length > 0 ? others : servers;
  const [only, ...more] = choices;
  if (only === undefined || more.length > 0) throw refusal(INBOX_DONE.which(choices, 'on'));
  return only;
}

async function turnOff(ports: HandlerPorts, { actor, words }: Typed): Promise<Message<KnownBlock>> {
  const { id } = await findMailbox(ports, actor, { typed: 'off', server: words, isOn: true });
  const { server } = await ports.inbox.turnOff(actor, id);
  return plainLine(INBOX_DONE.turnedOff(server));
}

/** Adds a line to what somebody has said of a mailbox; without words, it says what there is. */
async function addRule(ports: HandlerPorts, { actor, words }: Typed): Promise<Message<KnownBlock>> {
  const { inbox, bot, directory } = ports;
  const said = (await incomingText(words, bot().userId, directory)).trim();
  const [, first = '', others = ''] = /^(\S*)\s*(.*)$/s.exec(said) ?? [];
  const mailboxes = await inbox.list(actor.id);
  // Of several, the first word may name one.
  const named =
    mailboxes.length > 1
      ? mailboxes.find(({ server }) => server.toLowerCase() === first.toLowerCase())
      : undefined;
  const mailbox = named ?? (await findMailbox(ports, actor, { typed: 'rules', server: '', isOn: false }));
  const rule = named ? others : said;
  if (rule === '') return rulesMessage(mailbox, null);
  if (mailbox.rules.length + rule.length >= LONGEST_RULES)
    throw refusal(INBOX_DONE.rulesTooLong(LONGEST_RULES));
  const before = await inbox.settingChanges(actor.id);
  const changed = await inbox.set(actor.id, mailbox.id, { rule });
  const changes = await inbox.settingChanges(actor.id);
  const change = changes.find(({ after }) => after === changed.rules);
  const isNew = change !== undefined && !before.some(({ id }) => id === change.id);
  return isNew
    ? rulesMessage(changed, change)
    : rulesMessage(changed, null, findRule(listRules(changed.rules), rule));
}

/**
 * The mailbox that is named, or the only one of those that count: the ones that are on, where there are any or `isOn` wants it.
 * @throws RefusalError where it isn't clear which one is meant, or there's none.
 */
async function findMailbox(
  { inbox }: HandlerPorts,
  actor: Actor,
  { typed, server, isOn }: { readonly typed: string; readonly server: string; readonly isOn: boolean },
): Promise<Mailbox> {
  const all = await inbox.list(actor.id);
  const on = all.filter((one) => one.isOn);
  if (server !== '') {
    const named = all.find((one) => one.server.toLowerCase() === server.toLowerCase());
    if (!named)
      throw refusal(
        INBOX_DONE.unknown(
          toName(server),
          all.map((one) => one.server),
        ),
      );
    if (isOn && !named.isOn) throw refusal(INBOX_DONE.wasOff(named.server));
    return named;
  }
  const [only, ...more] = isOn || on.length > 0 ? on : all;
  if (only === undefined) throw refusal(INBOX_DONE.none);
  if (more.length > 0)
    throw refusal(
      INBOX_DONE.which(
        [only, ...more].map((one) => one.server),
        typed,
      ),
    );
  return only;
}

function toName(typed: string): string {
  return clip(typed, LONGEST_NAME);
}

function refusal(words: string): RefusalError {
  return new RefusalError('not_applicable', words);
}
