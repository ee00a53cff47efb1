import { expect, it } from 'vitest';
import { CONNECTORS } from '../../../src/connectors/all.ts';
import { readWhen, triggerExamples } from '../../../src/schedules/index.ts';
import type { OfferedTrigger } from '../../../src/schedules/ports.ts';

/** The triggers that there are, of all connectors. */
const OFFERED: readonly OfferedTrigger[] = [...CONNECTORS].flatMap(([server, { triggers = {} }]) =>
  Object.entries(triggers).map(([trigger, { words, parts }]) => ({ server, trigger, words, parts })),
);

it.each([
  ['a mail comes: summarise it', 'mail_came', {}, 'a mail comes', 'summarise it'],
  ['A new mail  arrives, summarise it', 'mail_came', {}, 'a mail arrives', 'summarise it'],
  ['mail comes draft an answer', 'mail_came', {}, 'a mail comes', 'draft an answer'],
  [
    'a mail from bob@example.com comes: draft an answer',
    'mail_came_from',
    { sender: 'bob@example.com' },
    'a mail from bob@example.com comes',
    'draft an answer',
  ],
  [
    'a mail comes from bob@example.com: draft an answer',
    'mail_came_from',
    { sender: 'bob@example.com' },
    'a mail comes from bob@example.com',
    'draft an answer',
  ],
  ['an event is added: prepare it', 'event_added', {}, 'an event is added', 'prepare it'],
  [
    'an issue is opened in ana/garden.wiki: say hello',
    'issue_opened',
    { repository: 'ana/garden.wiki' },
    'an issue is opened in ana/garden.wiki',
    'say hello',
  ],
  [
    'a new issue is created in ana/garden say hello',
    'issue_opened',
    { repository: 'ana/garden' },
    'an issue is created in ana/garden',
    'say hello',
  ],
])('reads “%s”', (words, trigger, given, said, text) => {
  expect(readWhen(words, OFFERED)).toMatchObject({
    ...{ kind: 'run', text },
    when: { kind: 'trigger', trigger, given, words: said },
  });
});

it.each([
  ['something happens: summarise it', 'no_trigger'],
  ['a mail from bob comes: summarise it', 'no_trigger'],
  ['a mail from "bob@example.com OR in:sent" comes: summarise it', 'no_trigger'],
  ['an issue is opened: summarise it', 'no_trigger'],
  ['an issue is opened in ana/garden/../boat: summarise it', 'no_trigger'],
  ['', 'no_trigger'],
  ['a mail comes', 'nothing'],
  ['an issue is opened in ana/garden:', 'nothing'],
])('does not read “%s”', (words, problem) => {
  expect(readWhen(words, OFFERED)).toEqual({ problem });
});

it('reads nothing that no configured connector offers', () => {
  expect(readWhen('a mail comes: summarise it', [])).toEqual({ problem: 'no_trigger' });
});

it('gives examples that it reads', () => {
  for (const example of triggerExamples(OFFERED)) {
    expect(readWhen(`${example}: summarise it`, OFFERED)).toMatchObject({ text: 'summarise it' });
  }
});

it('declares triggers whose words, arguments and parts fit together', () => {
  for (const { triggers = {} } of CONNECTORS.values()) {
    for (const { words, parts, list, read } of Object.values(triggers)) {
      const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const form of words) expect(names(form)).toEqual(Object.keys(parts));
      expect(Object.keys(parts)).toEqual(expect.arrayContaining(names(JSON.stringify(list.arguments))));
      expect([...Object.keys(parts), 'id']).toEqual(
        expect.arrayContaining(names(JSON.stringify(read.arguments))),
      );
    }
  }
});
