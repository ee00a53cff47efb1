import { expect, test } from 'vitest';
import { automaticKind } from '../../../../src/lib/mail/automatic.ts';

const BOB = { From: 'Bob <bob@example.com>' };
const LIST = {
  'List-Id': '<garden.example.com>',
  'List-Unsubscribe': '<https://example.com/u>',
  Precedence: 'list',
};

test.each<[what: string, headers: Record<string, string>, kind: ReturnType<typeof automaticKind>]>([
  ['a mail of a person', BOB, null],
  ['one that says that it is', { ...BOB, 'Auto-Submitted': 'no' }, null],
  ['a newsletter', { ...BOB, ...LIST }, 'newsletter'],
  ['a newsletter of nobody', { From: 'no-reply@example.com', ...LIST }, 'newsletter'],
  ['an announcement, to which nobody can write', { ...BOB, ...LIST, 'List-Post': 'NO' }, 'newsletter'],
  ['a mail by way of a group', { ...BOB, ...LIST, 'List-Post': '<mailto:support@example.com>' }, null],
  ['bulk', { ...BOB, Precedence: 'bulk' }, 'newsletter'],
  ['a notification', { ...BOB, 'Auto-Submitted': 'auto-generated; type=x' }, 'notification'],
  ['one that wants no automatic answer', { ...BOB, 'X-Auto-Response-Suppress': 'All' }, 'notification'],
  ['one of nobody', { From: 'Shop <noreply@shop.example>' }, 'notification'],
  ['one of nobody, in other words', { From: 'orders-do-not-reply@shop.example' }, 'notification'],
  [
    'a notification with the headers of a list',
    { From: 'notifications@code.example', ...LIST, 'List-Post': '<mailto:reply+1@code.example>' },
    'notification',
  ],
  ['a person whose name begins so', { From: 'norep.lyon@example.com' }, null],
  ['an absence', { ...BOB, 'Auto-Submitted': 'auto-replied', 'Return-Path': '<>' }, 'auto_reply'],
  ['an absence of an older program', { ...BOB, 'X-Autoreply': 'yes' }, 'auto_reply'],
  [
    'a receipt',
    { ...BOB, 'Content-Type': 'multipart/report; report-type=disposition-notification' },
    'auto_reply',
  ],
  ['a bounce', { ...BOB, 'Content-Type': 'multipart/report; report-type=delivery-status' }, 'bounce'],
  ['a bounce without a report', { From: 'Mail Delivery <MAILER-DAEMON@example.com>' }, 'bounce'],
  ['a mail that nobody can be answered by', { ...BOB, 'Return-Path': ' <> ' }, 'bounce'],
])('%s', (_what, headers, kind) => {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  expect(automaticKind((name) => lower.get(name.toLowerCase()) ?? '')).toBe(kind);
});
