import { describe, expect, it } from 'vitest';
import { type InboxView, inboxBlocks, inboxList } from '../../../../src/slack/home/inbox.ts';
import { ana } from '../../../helpers/people.ts';
import { wordsIn } from '../../../helpers/slack-app.ts';

const MAILBOX: InboxView['mailboxes'][number] = {
  ...{ id: 'slack:T1:U1:mail', owner: ana, server: 'mail', place: null, isOn: true, pace: 'daily' },
  ...{
    background: '',
    rules: 'News: ignore\n\nBills: tell me',
    timeZone: 'UTC',
    problem: null,
    where: 'in #general',
    listed: 3,
    unsorted: 0,
  },
};
const NOTHING: InboxView = { isEnabled: true, mailboxes: [], offered: [], learned: [], hasHistory: false };

function view(mailboxes: number, learned: number, more: Partial<InboxView> = {}): InboxView {
  return {
    ...NOTHING,
    mailboxes: Array.from({ length: mailboxes }, (_, index) => ({ ...MAILBOX, id: `${MAILBOX.id}${index}` })),
    learned: Array.from({ length: learned }, (_, index) => ({
      ...{ id: `p${index}`, kind: 'response_preferences', text: `wish ${index} ${'x'.repeat(400)}` },
      ...{ learnedAt: index, from: 'edit', mailId: null },
    })),
    hasHistory: learned > 0,
    ...more,
  };
}

describe('the section of Home', () => {
  it.each([
    ['nothing can be watched', NOTHING],
    ['the operator wants none watched', { ...NOTHING, isEnabled: false, offered: ['mail'] }],
  ])('is left out where %s', (_, shown) => {
    expect(inboxBlocks(shown, 100)).toEqual([]);
  });

  it.each([
    [100, 5, 40],
    [100, 1, 0],
    [16, 3, 9],
    [9, 5, 40],
    [7, 1, 1],
    [6, 1, 1],
    [-5, 1, 1],
  ])(
    'in %i blocks has what fits of %i mailboxes and %i lessons, and counts the others',
    (room, mailboxes, learned) => {
      const blocks = inboxBlocks(view(mailboxes, learned), room);
      expect(blocks.length).toBeLessThanOrEqual(Math.max(0, room));
      if (room < 7) return expect(blocks).toEqual([]);
      const words = wordsIn(blocks);
      const shown = words.match(/No longer|On\. What needs/g)?.length ?? 0;
      expect(shown).toBeGreaterThan(0);
      if (shown < mailboxes) expect(words).toContain(`${mailboxes - shown} more mailboxes`);
      const lessons = words.match(/wish \d+/g)?.length ?? 0;
      if (lessons < learned) expect(words).toContain(`and ${learned - lessons} more that I learned`);
    },
  );

  it('says how a mailbox is, in one line each, with its rules and what can be done', () => {
    const words = wordsIn(inboxBlocks(view(1, 1), 100));
    for (const part of [
      'On. What needs no answer I tell you once a day, at 8:00, in #general',
      '3 listed: /countersign inbox mails',
      'Rules:\n1. News: ignore\n2. Bills: tell me',
      'Answers: wish 0',
      'from a change of yours',
      'Edit rules… Turn off',
      'History…',
    ])
      expect(words).toContain(part);
  });

  it('has who somebody is, and counts the rules that it has no room for', () => {
    const rules = Array.from({ length: 200 }, (_, index) => `Mails ${index}: ${'x'.repeat(400)}`).join('\n');
    const said = { ...MAILBOX, background: 'I sell boats.\nIn Kiel.\u202e', rules };
    const shown = view(3, 0, { mailboxes: [said, said, said] });
    const words = wordsIn(inboxBlocks(shown, 100));
    expect(words).toContain('About you: I sell boats. In Kiel.⟨U+202E⟩\nRules:\n1. Mails 0: xxx');
    expect(words).toContain('\nand 188 more: Edit rules…');
    for (const block of inboxBlocks(shown, 100)) expect(wordsIn([block]).length).toBeLessThan(3_000);
    const { blocks, text } = inboxList({ ...shown, learned: view(0, 3).learned });
    expect(wordsIn(blocks)).toContain('\nand 197 more: Edit rules…');
    // All of it is read out.
    expect(text).not.toMatch(/…$/);
  });

  it.each([
    ['not_connected', 'Waits until you connect it'],
    ['not_allowed', 'the policy doesn’t let me'],
    ['gone', 'it can’t be reached'],
    ['silent', 'hasn’t answered for an hour'],
    ['refused', 'It says: “No ⟨U+202E⟩ password”'],
  ] as const)('says what is wrong: %s', (why, words) => {
    const problem = { why, said: 'No \u202e password' };
    expect(wordsIn(inboxBlocks(view(1, 0, { mailboxes: [{ ...MAILBOX, problem }] }), 100))).toContain(words);
  });

  it('has one that is off, and servers that aren’t watched, turned on', () => {
    const off = view(1, 0, { mailboxes: [{ ...MAILBOX, isOn: false }], offered: ['other'] });
    const words = wordsIn(inboxBlocks(off, 100));
    expect(words).toContain('Off');
    expect(words).toContain('other · not watched');
    expect(JSON.stringify(inboxBlocks(off, 100)).match(/inbox\.turn_on/g)).toHaveLength(2);
    // Where the operator wants none watched, what is kept is still there to be read and changed.
    expect(JSON.stringify(inboxBlocks({ ...off, isEnabled: false }, 100))).not.toContain('inbox.turn_on');
  });
});

it('the list has all that fits a message', () => {
  const all = inboxList(view(20, 120, { offered: ['a', 'b'] }));
  expect(all.blocks.length).toBeLessThanOrEqual(50);
  expect(wordsIn(all.blocks)).toContain('and 117 more that I learned');
  expect(inboxList(NOTHING).text).toContain('No mail server is configured here');
});
