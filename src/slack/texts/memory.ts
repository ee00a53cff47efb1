/** The texts about what is remembered of people. */

import { formatCount } from '../../lib/count.ts';
import type { MemoryKey, MemoryKind } from '../../memory/ports.ts';

const WHAT: Readonly<Record<Exclude<MemoryKey, 'other'>, string>> = {
  user_name: 'Your name',
  company_name: 'Where you work',
  job_title: 'What you do',
  recent_projects: 'You work on',
  tone: 'Tone of answers',
  detail_level: 'Length of answers',
  language: 'Language of answers',
};

/** What an item is about. */
export function memoryWords({ kind, key }: { readonly kind: MemoryKind; readonly key: MemoryKey }): string {
  if (key !== 'other') return WHAT[key];
  return kind === 'preference' ? 'How you like it' : 'About you';
}

/** The list of them. */
export const MEMORY = {
  title: 'What I remember of you',
  line: (what: string, text: string) => `${what}: ${text}`,
  said: { direct: 'said to me directly', channel: (name: string) => `said in ${name}` },
  aChannel: 'a channel',
  about:
    'From what you write to me yourself, never from documents, tools or others. Nobody else sees it. What you said in one place I don’t repeat in a channel elsewhere, except for how you like answers.',
  nothing: 'Nothing yet.',
  off: 'Turned off: I learn nothing more of you, and use nothing of this.',
  notHere:
    'Whoever looks after this app has turned this off: I learn nothing of anybody, and use nothing of this.',
  more: (count: number) => `and ${formatCount(count)} more: /countersign memory`,
  edit: 'Edit…',
  forget: 'Forget',
  forgetAll: 'Forget all',
  forgetAllTitle: 'Forget all of it?',
  forgetAllWarning: 'All that I remember of you is deleted. What you tell me from then on I remember again.',
  turnOff: 'Turn off',
  turnOn: 'Turn on',
} as const;

/** Changing an item. */
export const EDIT_MEMORY = {
  title: 'What I remember',
  submit: 'Save',
  hint: 'I go by this from your next message on.',
} as const;

/** What came of it. */
export const MEMORY_DONE = {
  gone: 'I no longer remember that, so nothing was changed.',
  forgotten: 'Forgotten.',
  turnedOff:
    'Turned off. I learn nothing more of you, and use nothing of what I remember until you turn it on again.',
  turnedOn: 'Turned on. I remember what you tell me of yourself from now on.',
} as const;

/** The first time that anything is remembered of somebody. */
export const FIRST_LEARNED = {
  title: 'I remember this of you from now on:',
  line: (line: string) => `• ${line}`,
  more: (count: number) => `• and ${formatCount(count)} more`,
  how: 'You said so yourself, and nobody else sees this. My Home tab shows it: there you can change it, have me forget it, or turn this off. I won’t tell you each time.',
} as const;
