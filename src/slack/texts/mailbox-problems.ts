import type { MailboxProblem } from '../../inbox/ports.ts';

/** Why a mailbox can't be read, as its owner is told, and as Home says it. */
export const MAILBOX_PROBLEM = {
  told: {
    not_connected: (server: string) =>
      `I can’t read your mailbox ${server} any more: its sign-in is over or not done yet. Connect it in my Home, under “Your connections”. What came meanwhile isn’t lost.`,
    not_allowed: (server: string) =>
      `I can’t read your mailbox ${server} any more: the policy doesn’t let its reading tools run with nobody asked. An admin can change that.`,
    gone: (server: string) =>
      `I can’t read your mailbox ${server} any more: it isn’t there, or has no tool that lists mails. An admin can see why in my Home.`,
    silent: (server: string) =>
      `I couldn’t read your mailbox ${server} for an hour: its mail server can’t be reached, or gives no answer that I can read. I go on trying. If it works in your mail program, an admin can see why in my log. What came meanwhile isn’t lost.`,
    refused: (server: string, said: string) =>
      `I can’t read your mailbox ${server} any more. It says: ${said} I look again every ten minutes. What came meanwhile isn’t lost.`,
  } satisfies Readonly<Record<MailboxProblem['why'], (server: string, said: string) => string>>,
  inHome: {
    not_connected: () => 'Waits until you connect it, under “Your connections”',
    not_allowed: () => 'Waits: the policy doesn’t let me read it by myself',
    gone: () => 'Waits: it can’t be reached',
    refused: (said: string) => `Waits, and tries again. It says: ${said}`,
    silent: () => 'Its server hasn’t answered for an hour or more. I go on trying',
  } satisfies Readonly<Record<MailboxProblem['why'], (said: string) => string>>,
} as const;
