import type { KnownBlock, ModalView } from '@slack/types';
import type { Mail, Mailbox, Preference, PreferenceChange, SettingChange } from '../../src/inbox/ports.ts';
import { type InboxView, inboxList } from '../../src/slack/home/inbox.ts';
import { digestMessage } from '../../src/slack/inbox/digest-message.ts';
import {
  historyModal,
  learnedModal,
  preferenceModal,
  rulesModal,
  savedModal,
} from '../../src/slack/inbox/forms.ts';
import { learnedMessage, offerMessage, problemMessage } from '../../src/slack/inbox/learned-message.ts';
import { mailMessage, newerMailMessage } from '../../src/slack/inbox/mail-message.ts';
import { mailModal, mailNotice } from '../../src/slack/inbox/mail-modal.ts';
import { rulesMessage } from '../../src/slack/inbox/rules-message.ts';
import type { WholeMail } from '../../src/slack/inbox/whole-mail.ts';
import type { Message } from '../../src/slack/text/block-kit.ts';

const LONG = 'words and words '.repeat(30);
const mailbox: Mailbox = {
  ...{
    id: 'slack:T0123456789:U0123456789:gmail',
    owner: { id: 'slack:T1:U1', name: 'Ana' },
    server: 'gmail',
  },
  ...{ place: 'C1', isOn: true, pace: 'hourly', background: LONG, rules: LONG.repeat(6).slice(0, 3_000) },
  ...{ timeZone: 'Europe/Berlin', problem: null },
};
const mail: Mail = {
  ...{ id: `${mailbox.id}:0123456789abcdef0123456789abcdef`, mailboxId: mailbox.id, messageId: 'm1' },
  ...{ mailId: '<1@example.com>', threadId: 't1', from: '"Bob, ניסיון" <bob@example.com>', subject: LONG },
  ...{ arrivedAt: 1_795_420_800_000, verdict: 'notify', reason: LONG, state: 'listed', slackThread: null },
};
const whole: WholeMail = {
  ...{
    from: mail.from,
    to: LONG.repeat(9),
    cc: LONG,
    reply_to: 'x@example.com',
    subject: LONG,
    date: 'today',
  },
  ...{ text: LONG.repeat(2_000), quoted: LONG.repeat(2_000) },
  attachments: Array.from({ length: 40 }, (_, index) => ({ name: `${index} ${LONG}`, bytes: 12_345 })),
  attachments_left_out: 9,
  warnings: Array.from({ length: 20 }, () => LONG),
};
const change: PreferenceChange = {
  ...{ id: 'AbCdEfGhIjKlMnOpQrStUv', at: 1_795_420_800_000, kind: 'response_preferences', what: 'changed' },
  ...{ before: LONG.slice(0, 200), after: LONG.slice(0, 200), why: 'edit', isUndone: false },
};
const setting: SettingChange & { readonly server: string } = {
  ...{ id: 'AbCdEfGhIjKlMnOpQrStUv', at: 1_795_420_900_000, kind: 'rules', server: LONG },
  ...{ before: LONG.repeat(19), after: LONG, why: 'person', isUndone: false },
};
const states = ['listed', 'responding', 'done', 'ignored'] as const;
const mails = Array.from({ length: 50 }, (_, index) => ({
  mail: {
    ...mail,
    id: `${mail.id}${index}`,
    state: states[index % 4] ?? 'listed',
    slackThread: 'slack:T1:D1:1.1',
  },
  said: index % 3 === 0 ? change : null,
}));
const digest = { page: null, mailbox, mails, more: 1_000, ignored: 100 } as const;
const page = { ...digest, mails: mails.slice(0, 5), more: 0 };
const threadUrl = () => 'https://example.slack.com/archives/C1/p1';
const preference: Preference = {
  ...{ id: 'AbCdEfGhIjKlMnOpQrStUv', kind: 'cal_preferences', text: LONG.slice(0, 200) },
  ...{ learnedAt: 0, from: 'never_again', mailId: null },
};

/** Somebody's mailboxes and what was learned of them, as much as there can be. */
export const INBOX: InboxView = {
  isEnabled: true,
  mailboxes: Array.from({ length: 10 }, (_, index) => ({
    ...{
      ...mailbox,
      id: `${mailbox.id}${index}`,
      isOn: index !== 1,
      where: 'in #general',
      listed: 100,
      unsorted: 100,
    },
    problem: index === 2 ? { why: 'refused' as const, said: LONG.slice(0, 300) } : null,
  })),
  offered: ['mail'],
  learned: Array.from({ length: 120 }, (_, index) => ({ ...preference, id: `${preference.id}${index}` })),
  hasHistory: true,
};
const ONE: InboxView = { ...INBOX, mailboxes: INBOX.mailboxes.slice(0, 1) };

/** What people see of their mails. */
export const INBOX_MESSAGES: Readonly<Record<string, Message<KnownBlock>>> = {
  'the beginning of a mail’s thread': mailMessage({ mailbox, mail }, whole),
  'the beginning of a mail’s thread, without its text': mailMessage({ mailbox, mail }, null),
  'a newer mail of a conversation': newerMailMessage({ mail, stage: 'waits' }, whole),
  'a newer mail of a conversation, without its text': newerMailMessage({ mail, stage: 'waits' }, null),
  'a newer mail of a conversation, once it was chosen': newerMailMessage({ mail, stage: 'chosen' }, whole),
  'mails that need no answer': digestMessage(digest, threadUrl),
  'one mail that needs no answer': digestMessage({ ...digest, mails: mails.slice(0, 1), more: 0 }, threadUrl),
  'mails that are listed': digestMessage(
    { ...page, page: { state: 'listed', isFirst: false, older: 'b'.repeat(300) } },
    threadUrl,
  ),
  'mails that were ignored': digestMessage(
    { ...page, page: { state: 'ignored', isFirst: true, older: null } },
    threadUrl,
  ),
  'what was learned': learnedMessage([
    change,
    { ...change, id: '2', what: 'added', before: null },
    { ...change, id: '3', what: 'removed', after: null, isUndone: true },
  ]),
  'what was learned of a sender': learnedMessage([
    { ...change, what: 'added', before: null, why: 'ignore' },
    { ...change, id: '2', what: 'added', before: null, why: 'no_drafts' },
  ]),
  'what could be learned of a sender': offerMessage({ mailId: mail.id, address: LONG }),
  'a mailbox waits for its owner': problemMessage('gmail', { why: 'not_connected', said: '' }),
  'a mailbox is refused': problemMessage('imap', { why: 'refused' as const, said: LONG.slice(0, 300) }),
  'a rule was added': rulesMessage({ ...mailbox, rules: `${LONG}\n`.repeat(20), isOn: false }, setting),
  'a rule was taken back': rulesMessage({ ...mailbox, rules: '' }, { ...setting, isUndone: true }),
  mailboxes: inboxList(INBOX),
  'mailboxes, one': inboxList(ONE),
  'mailboxes, none': inboxList({ ...INBOX, mailboxes: [], offered: [], learned: [], hasHistory: false }),
};

export const INBOX_VIEWS: Readonly<Record<string, ModalView>> = {
  'all of a mail': mailModal(mail, whole),
  'a mail is being read': mailNotice('Reading the mail…'),
  'rules of a mailbox': rulesModal(mailbox),
  'rules of a mailbox, none yet': rulesModal({ ...mailbox, background: '', rules: '' }),
  'rules of a mailbox, saved': savedModal({ ...mailbox, isOn: false }, [
    { ...setting, before: Array.from({ length: 30 }, () => LONG).join('\n'), after: LONG },
    { ...setting, id: '2', kind: 'background', before: LONG.repeat(20), after: LONG.repeat(19) },
  ]),
  'change what was learned of mails': preferenceModal(preference),
  'all that was learned of mails': learnedModal(INBOX.learned),
  'history of what was learned': historyModal(
    Array.from({ length: 200 }, (_, index) => ({ ...change, id: `${index}`, isUndone: index % 2 === 0 })),
    [
      { ...setting, before: Array.from({ length: 30 }, () => LONG).join('\n'), after: LONG },
      { ...setting, id: '2', kind: 'background', before: LONG.repeat(20), after: LONG.repeat(19) },
    ],
    'UTC',
  ),
  'history of what was learned, nothing yet': historyModal([], [], 'UTC'),
};
