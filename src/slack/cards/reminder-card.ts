import type { KnownBlock } from '@slack/types';
import type { Named } from '../people/types.ts';
import { type Message, richText, section, text } from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { HELD, REMINDER } from '../texts/messages.ts';
import { type CallView, callTitle } from './call-view.ts';

/** A reminder: calls that nobody has decided for a while. */
export interface ReminderView {
  /** The request and the time; opaque. */
  readonly key: string;
  /** Calls that still wait for the people reminded then; empty once all are decided. */
  readonly calls: readonly CallView[];
  /** Whose approval is missing; where somebody claimed the call, they. */
  readonly reminded: readonly Named[];
  /** The approvers added by the escalation. */
  readonly added: readonly Named[];
}

/** The reminder in the thread: one line that mentions only those it needs. */
export function reminderLine({ key, calls, reminded, added }: ReminderView): Message<KnownBlock> {
  const [first] = calls;
  if (first === undefined) return line(key, [reminderText(REMINDER.over)]);
  const what = calls.length === 1 ? callTitle(first) : HELD.actions(calls.length);
  const waits = REMINDER.waits(what, calls.length);
  const forWhom = reminded.length === 0 ? [] : [reminderText(REMINDER.for), ...listed(reminded)];
  const fromNowOn =
    added.length === 0 ? [] : [reminderText(' · '), ...listed(added), reminderText(REMINDER.mayDecideNow)];
  return line(key, [reminderText(waits), ...forWhom, ...fromNowOn, reminderText('.')]);
}

function line(key: string, parts: readonly Named[]): Message<KnownBlock> {
  return {
    text: notification(parts.map(({ name }) => name).join('')),
    blocks: [richText(`reminder:${key}`, section(...parts.map(({ element }) => element)))],
  };
}

function reminderText(content: string): Named {
  return { element: text(content), name: content };
}

/** A list of people, separated by commas. */
export function listed(people: readonly Named[]): readonly Named[] {
  return people.flatMap((one, index) => (index === 0 ? [one] : [reminderText(', '), one]));
}
