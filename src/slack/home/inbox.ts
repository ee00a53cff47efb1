import type { ActionsBlock, KnownBlock, StaticSelect } from '@slack/types';
import type { DigestPace, Mailbox, PersonInbox, Preference } from '../../inbox/ports.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { learnedBlock } from '../inbox/forms.ts';
import { ruleLines } from '../inbox/rule-lines.ts';
import { quoted, strange } from '../inbox/whole-mail.ts';
import type { Directory } from '../people/directory.ts';
import { nameWhere } from '../schedules/places.ts';
import {
  actions,
  bold,
  button,
  confirmation,
  context,
  LIMITS,
  type Message,
  option,
  plain,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { listMessage } from '../text/list-message.ts';
import { INBOX } from '../texts/inbox.ts';

/** The most that a Home lists, and a message, of which screen readers read out all. */
const LISTED = { home: { mailboxes: 3, learned: 5 }, message: { mailboxes: 3, learned: 3 } };
/** The blocks of one mailbox, and those around all: header, both counts of what is left out, what it is, buttons. */
const BLOCKS = { each: 2, around: 5 };
const LONGEST = { server: 60, said: 300 };
/** How much of what somebody said of a mailbox is shown: together less than the 3,000 characters of a text. */
const SAID = {
  home: { background: 400, rules: { most: 12, longest: 180 } },
  message: { background: 70, rules: { most: 3, longest: 60 } },
};

type Room = (typeof SAID)[keyof typeof SAID];

/** Somebody's mailboxes and what was learned of them, as they are shown it. */
export interface InboxView {
  /** Whether the operator wants mailboxes watched. */
  readonly isEnabled: boolean;
  readonly mailboxes: readonly (Mailbox & {
    /** Where it's told of, in words. */
    readonly where: string;
    /** How many mails are listed and open, and how many nobody has judged yet. */
    readonly listed: number;
    readonly unsorted: number;
  })[];
  /** The mail servers that they could have watched. */
  readonly offered: readonly string[];
  readonly learned: readonly Preference[];
  readonly hasHistory: boolean;
}

/** Reads somebody's mailboxes, for them alone. */
export function createInboxViews({
  inbox,
  directory,
}: {
  readonly inbox: Pick<
    PersonInbox,
    'isEnabled' | 'servers' | 'list' | 'mails' | 'preferences' | 'history' | 'settingChanges'
  >;
  readonly directory: Pick<Directory, 'channelName'>;
}) {
  return async (actorId: string): Promise<InboxView> => {
    const [found, learned, history, settings] = await Promise.all([
      inbox.list(actorId),
      inbox.preferences(actorId),
      inbox.history(actorId),
      inbox.settingChanges(actorId),
    ]);
    const mailboxes = found.map(async (one) => ({
      ...one,
      where: await nameWhere(one, directory),
      listed: (await inbox.mails(one.id, 'listed')).length,
      unsorted: (await inbox.mails(one.id, 'new')).length,
    }));
    const { isEnabled } = inbox;
    const offered = inbox.servers(actorId).filter((server) => !found.some((one) => one.server === server));
    return {
      isEnabled,
      mailboxes: await Promise.all(mailboxes),
      offered,
      learned,
      hasHistory: history.length + settings.length > 0,
    };
  };
}
export type ReadInbox = ReturnType<typeof createInboxViews>;

/** The section of App Home, in at most `room` blocks; nothing where there is nothing to watch and nothing kept. */
export function inboxBlocks(view: InboxView, room: number): KnownBlock[] {
  if (isIdle(view) || room < BLOCKS.around + BLOCKS.each) return [];
  const most = Math.min(LISTED.home.mailboxes, Math.floor((room - BLOCKS.around) / BLOCKS.each));
  const mailboxes = mailboxBlocks(view, most, SAID.home);
  const left = room - BLOCKS.around - mailboxes.length;
  return [
    { type: 'header', block_id: 'header:inbox', text: plain(INBOX.title, 150) },
    ...mailboxes,
    ...learnedBlocks(view, Math.min(LISTED.home.learned, Math.max(0, left))),
    ...endBlocks(view),
  ];
}

/** The answer to `/countersign inbox`. */
export function inboxList(view: InboxView): Message<KnownBlock> {
  return listMessage(INBOX.title, [
    { type: 'section', block_id: 'inbox', text: plain(INBOX.title) },
    ...mailboxBlocks(view, LISTED.message.mailboxes, SAID.message),
    ...learnedBlocks(view, LISTED.message.learned),
    ...endBlocks(view),
  ]);
}

/** Whether nothing can be watched, and nothing is left of what was. */
function isIdle({ isEnabled, mailboxes, offered, learned }: InboxView): boolean {
  return mailboxes.length === 0 && learned.length === 0 && (!isEnabled || offered.length === 0);
}

/** Mailboxes, and after them the servers that could be some, `most` together. */
function mailboxBlocks({ isEnabled, mailboxes, offered }: InboxView, most: number, room: Room): KnownBlock[] {
  const shown = mailboxes.slice(0, most);
  const servers = isEnabled ? offered.slice(0, most - shown.length) : [];
  const left = mailboxes.length - shown.length + (isEnabled ? offered.length - servers.length : 0);
  return [
    ...shown.flatMap((mailbox) => oneBlocks(mailbox, isEnabled, room)),
    ...servers.map(offeredBlock),
    ...(left > 0 ? [context('inbox:more', INBOX.moreMailboxes(left))] : []),
  ];
}

function oneBlocks(mailbox: InboxView['mailboxes'][number], isEnabled: boolean, room: Room): KnownBlock[] {
  const { id, isOn, background, rules, listed, unsorted, server } = mailbox;
  const numbered = ruleLines(rules, room.rules);
  const lines = [
    describeState(mailbox),
    ...(isOn && unsorted > 0 ? [INBOX.sorting(unsorted)] : []),
    ...(isOn ? [INBOX.listed(listed)] : []),
    ...(background.trim() === '' ? [] : [INBOX.background(strange(background, room.background))]),
    ...(numbered.length === 0 ? [INBOX.noRules] : [INBOX.rules, ...numbered]),
  ];
  return [
    richText(`inbox:${id}`, section(bold(strange(server, LONGEST.server)), text(`\n${lines.join('\n')}`))),
    actions(`inbox:actions:${id}`, ...toButtons(mailbox, isEnabled)),
  ];
}

function describeState({ isOn, pace, problem, where }: InboxView['mailboxes'][number]): string {
  if (!isOn) return INBOX.off;
  return problem === null
    ? INBOX.on(INBOX.pace[pace], where)
    : INBOX.problem[problem.why](quoted(problem.said, LONGEST.said));
}

function toButtons({ id, isOn, pace, server }: Mailbox, isEnabled: boolean): ActionsBlock['elements'] {
  const confirm = confirmation(INBOX.turnOffTitle, INBOX.turnOffWarning, INBOX.turnOff);
  const edit = button(ACTIONS.editInbox, INBOX.edit, id);
  if (!isOn) return [...(isEnabled ? [button(ACTIONS.turnOnInbox, INBOX.turnOn, server)] : []), edit];
  return [edit, paceMenu(server, pace), button(ACTIONS.turnOffInbox, INBOX.turnOff, id, { confirm })];
}

function paceMenu(server: string, pace: DigestPace): StaticSelect {
  // A mailbox's id would be too long: Slack takes 75 characters.
  const toOption = (one: DigestPace) => option(INBOX.pace[one], `${one}:${server}`);
  return {
    type: 'static_select',
    action_id: ACTIONS.inboxPace,
    // Screen readers use it as the menu's name.
    placeholder: plain(INBOX.paceLabel, LIMITS.placeholder),
    options: (['now', 'hourly', 'daily'] as const).map(toOption),
    initial_option: toOption(pace),
  };
}

function offeredBlock(server: string): KnownBlock {
  return {
    type: 'section',
    block_id: `inbox:offered:${server}`,
    text: plain(INBOX.offered(strange(server, LONGEST.server))),
    accessory: button(ACTIONS.turnOnInbox, INBOX.turnOn, server),
  };
}

/** What was learned, newest first. */
function learnedBlocks({ learned }: InboxView, most: number): KnownBlock[] {
  const shown = learned.toReversed().slice(0, most);
  const left = learned.length - shown.length;
  return [
    ...shown.map(learnedBlock),
    ...(left > 0 ? [context('learned:more', INBOX.moreLearned(left))] : []),
  ];
}

function endBlocks(view: InboxView): KnownBlock[] {
  const buttons = [
    ...(view.learned.length > 0 ? [button(ACTIONS.showLearned, INBOX.all, 'all')] : []),
    ...(view.hasHistory ? [button(ACTIONS.inboxHistory, INBOX.history, 'all')] : []),
  ];
  return [
    context('inbox:about', describeAll(view)),
    ...(buttons.length > 0 ? [actions('inbox:actions', ...buttons)] : []),
  ];
}

function describeAll({ isEnabled, mailboxes, offered }: InboxView): string {
  if (!isEnabled) return INBOX.notHere;
  return mailboxes.length === 0 && offered.length === 0 ? INBOX.noServers : INBOX.about;
}
