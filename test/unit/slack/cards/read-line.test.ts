import { describe, expect, it } from 'vitest';
import type { ReadFrom } from '../../../../src/runs/ports.ts';
import { withRead } from '../../../../src/slack/cards/plain-messages.ts';
import { readListModal } from '../../../../src/slack/modals/read-list.ts';
import { assertMessage, assertView } from '../../../helpers/slack-limits.ts';
import { callView, flat, withTool } from './fixtures.ts';

const ANA = { id: 'slack:T1:U1', name: 'Ana' };

function read(server: string, calls = 1, what: string | null = null): ReadFrom {
  return { server, what, calls, callIds: Array.from({ length: calls }, (_, index) => `${server}-${index}`) };
}

function lineOf(...from: ReadFrom[]) {
  const answer = {
    text: 'Answer.',
    blocks: [{ type: 'section' as const, text: { type: 'plain_text' as const, text: 'Answer.' } }],
  };
  const [message] = withRead([answer], { itemId: 'i1', read: from });
  if (!message) throw new Error('There is no message.');
  assertMessage(message);
  expect(message.blocks.at(-1)).toMatchObject({
    accessory: { options: [{ text: { text: 'Show what was read' }, value: 'i1' }] },
  });
  return flat(message.blocks).split('\n').slice(1).join('\n');
}

describe('the line of what was read for an answer', () => {
  it.each([
    [[read('calendar')], 'Read: calendar'],
    [[read('calendar'), read('files', 3, 'file')], 'Read: calendar, 3 files'],
    [[read('calendar', 2), read('files', 1, 'file')], 'Read: calendar (2 times), 1 file'],
    [[read('mail', 1, 'mail')], 'Read: 1 mail'],
    [[read('github', 2, 'issue'), read('github')], 'Read: 2 issues in github, github'],
    [[read('📅 team'), read('notes_2')], 'Read: 📅 team, notes_2'],
    [[read('יומן', 2), read('files', 3, 'file')], 'Read: \u200e\u2068יומן\u2069 (2 times), 3 files'],
    [[read('a\u202eb\nc')], 'Read: a⟨U+202E⟩b c'],
    [[read('x'.repeat(200)), read('files', 2, 'file')], `Read: ${'x'.repeat(59)}…, 2 files`],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => read(name)), 'Read: a, b, c, d, e, and 2 more'],
  ])('says it in words: %#', (from, words) => {
    expect(lineOf(...from)).toContain(words);
  });

  it('opens to what was read, each with its object, whatever that is called', () => {
    const named = (title: string, key: string) => ({
      ...withTool({ properties: { title: {} } }, { title }, { name: 'read_note', title: 'Read note' }),
      callKey: key,
    });
    const odd = ['🎉 Launch 🚀', 'אולם 3, תל אביב', 'x'.repeat(200), 'a\u202eb'];
    const view = readListModal(
      odd.map((title, index) => named(title, `k${index}`)),
      ANA,
    );
    assertView(view);
    const words = flat(view.blocks);
    expect(words).toContain('Read note ‘🎉 Launch 🚀’ · calendar.read_note');
    expect(words).toContain('‘אולם 3, תל אביב’');
    expect(words).toMatch(/‘x{59}…’/);
    expect(words).toContain('‘a⟨U+202E⟩b’');
    expect(flat(readListModal([callView()], ANA).blocks)).toContain('Create event');
  });
});
