/** The texts about what is remembered of people. */

import { formatCount } from '../../lib/count.ts';
import { type MemoryKey, type MemoryKind, type MemoryMode, MOST_ITEMS } from '../../memory/ports.ts';

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

const FOR_NOBODY = 'Whoever looks after this app has turned this off for everybody';

/** The list of them. */
export const MEMORY = {
  title: 'What I remember of you',
  line: (what: string, text: string) => `${what}: ${text}`,
  said: { direct: 'said to me directly', channel: (name: string) => `said in ${name}` },
  aChannel: 'a channel',
  about:
    'From what you write to me yourself, never from documents, tools or others. Nobody else sees it. What you said in one place I don’t repeat in a channel elsewhere, except for how you like answers.',
  nothing: 'Nothing yet.',
  full: `That’s ${MOST_ITEMS}, the most that I remember of anybody: what is new takes the place of what you said first.`,
  /** Where nothing is learned: with what was learned before, and with nothing. */
  off: {
    turned_off: {
      some: 'Turned off: I learn nothing more of you, and use nothing of this. It stays until you have it forgotten.',
      none: 'Turned off: I learn nothing of you, and there is nothing that I learned before.',
    },
    not_here: {
      some: `${FOR_NOBODY}: I learn nothing more, and use nothing of this. It stays until you have it forgotten.`,
      none: `${FOR_NOBODY}: I learn nothing of anybody, and there is nothing that I learned of you before.`,
    },
  },
  more: (count: number) => `and ${formatCount(count)} more: /countersign memory`,
  /** In the list of the command, which is as long as a message can be. */
  older: (count: number) =>
    `and ${formatCount(count)} that you said before, which are listed as you have newer ones forgotten`,
  edit: 'Edit…',
  forget: 'Forget',
  forgetAll: 'Forget all',
  forgetAllTitle: 'Forget all of it?',
  forgetAllWarning: {
    on: 'All that I remember of you is deleted. What you tell me of yourself from then on I remember again.',
    turned_off:
      'All that I remember of you is deleted. It stays turned off, so I learn nothing of you from then on either.',
    not_here: `All that I remember of you is deleted. ${FOR_NOBODY}, so I learn nothing of you from then on either.`,
  } satisfies Readonly<Record<MemoryMode, string>>,
  turnOff: 'Turn off',
  turnOn: 'Turn on',
} as const;

/** Changing an item. */
export const EDIT_MEMORY = {
  title: 'What I remember',
  submit: 'Save',
  hint: {
    on: 'I go by this from your next message on.',
    turned_off: 'You have turned this off: I go by it once you turn it on again.',
    not_here: `${FOR_NOBODY}: I go by nothing of this.`,
  } satisfies Readonly<Record<MemoryMode, string>>,
} as const;

/** What came of it. */
export const MEMORY_DONE = {
  gone: 'I no longer remember that, so nothing was changed.',
  forgotten: 'Forgotten.',
  turnedOff:
    'Turned off. I learn nothing more of you, and use nothing of what I learned before until you turn it on again. That stays until you have it forgotten.',
  turnedOn:
    'Turned on. I remember what you tell me of yourself from now on, and go by what I learned before.',
  notHere: `${FOR_NOBODY}, so nothing was changed.`,
} as const;

/** The first time that anything is remembered of somebody. */
export const FIRST_LEARNED = {
  title: 'I remember this of you from now on:',
  line: (line: string) => `• ${line}`,
  more: (count: number) => `• and ${formatCount(count)} more`,
  how: 'You said so yourself, and nobody else sees this. My Home tab shows it: there you can change it, have me forget it, or turn this off. I won’t tell you each time.',
} as const;
