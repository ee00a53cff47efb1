import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import type { Json, JsonObject } from '../../../../src/lib/json.ts';
import { callCard, callEntry } from '../../../../src/slack/cards/call-card.ts';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import { questionCard } from '../../../../src/slack/cards/question-card.ts';
import { requestCard } from '../../../../src/slack/cards/request-card.ts';
import { editModal } from '../../../../src/slack/modals/edit-arguments.ts';
import { fullCallModal } from '../../../../src/slack/modals/full-call.ts';
import { alsoModal } from '../../../../src/slack/modals/more-actions.ts';
import { feedbackModal } from '../../../../src/slack/modals/reject.ts';
import { toDecisionPage } from '../../../../src/slack/views/decision-sheet.ts';
import { ana } from '../../../helpers/people.ts';
import { assertMessage, assertView } from '../../../helpers/slack-limits.ts';
import { newerMail } from '../../../helpers/waiting-draft.ts';
import { approvedBy, buttonsOf, callRecord, callView, flat, resolve } from './fixtures.ts';

const text: JsonObject = { type: 'string' };
const REPLY: JsonObject = {
  message_id: 'm1',
  to: ['cy@other.test'],
  body: 'Hi Cy,\n\ngladly.\n\nBest regards\nAna',
};
const LINES = ['Hi Ana,', '', 'lunch on Friday?', 'At noon?', 'Or later?', 'Cy'];

const lookUp = {
  server: 'mail',
  name: 'check_reply',
  show: ['message.from', 'message.subject', 'message.text', 'marks'],
};
const TOOL: CallRecord['tool'] = {
  ...callRecord().tool,
  server: 'mail',
  name: 'reply_to_message',
  modelName: 'send_email',
  title: 'Reply to mail',
  graph: 'inbox',
  inputSchema: {
    type: 'object',
    properties: {
      message_id: text,
      to: { type: 'array', items: text },
      cc: { type: 'array', items: text },
      body: text,
    },
    required: ['message_id', 'to', 'body'],
  },
  card: {
    title: ['Reply to {to} · {was}', 'Reply to {to}'],
    lookUp,
  },
};

/** The view of a draft; `read`: what the mailbox's server said of it, null where it said nothing. */
function draft(
  read: { readonly text?: string; readonly marks?: readonly string[]; readonly from?: string } | null = {},
  changes: Parameters<typeof callView>[0] = {},
): CallView {
  const shown: { path: string; value: Json }[] = [
    { path: 'message.from', value: read?.from ?? 'Cy <cy@other.test>' },
    { path: 'message.subject', value: 'Lunch' },
    { path: 'message.text', value: read?.text ?? LINES.join('\n') },
    { path: 'marks', value: [...(read?.marks ?? [])] },
  ];
  const subject = read === null ? undefined : { name: 'Lunch', fields: {}, shown, readWith: ['message_id'] };
  return callView(
    { tool: TOOL, arguments: REPLY, ...changes },
    { resolve: { ...resolve, ...(subject && { subject }) } },
  );
}

/** What its page on the web, or the list of what waits, warns of. */
const warned = (view: CallView) => toDecisionPage(view).warnings;

const meeting = () => callView({ tool: { ...callRecord().tool, graph: 'inbox' } });

describe('the card of a draft', () => {
  it('shows the mail that it answers, whole where it’s short, then the reply, under four words', () => {
    const card = callCard(draft());
    assertMessage(card);
    expect(flat(card.blocks)).toMatchInlineSnapshot(`
      "Reply to ‘Cy’ <cy@other.test> · ‘Lunch’
      The mail, as it came:
      From cy@other.test “Cy”
      Lunch
      Hi Ana,
      lunch on Friday?
      At noon?
      Or later?
      Cy
      To  cy@other.test
      Body
      ┌
      Hi Cy,

      gladly.

      Best regards
      Ana
      └
      Rule: writes
      [Accept (primary)] [Edit] [Ignore] [Respond] [⋯ Accept, and also…, Don’t run this; do that instead…, View everything, Withdraw, More…]
      Only Ana can accept. Expires Fri 27 Nov 2026, 17:00 Europe/Berlin."
    `);
  });

  it('has one ellipsis where the fold cuts a line', () => {
    const card = flat(callCard(draft({ text: 'wordy '.repeat(200) })).blocks);
    expect(card).toContain('wordy … All of it is under ⋯ → View everything.');
    expect(card).not.toContain('… …');
  });

  it('shows a reply whole as people write them, of which a card of another tool has eight lines', () => {
    const body = `Hi Cy,\n\n${'One more thing.\n\n'.repeat(8)}Best regards\nAna`;
    const card = callCard(draft({}, { arguments: { ...REPLY, body } }));
    expect(flat(card.blocks)).toContain(body);
    expect(buttonsOf(card.blocks)).toContain('Accept');
  });

  it('says to whom it goes, by name where they wrote the mail, and how many others', () => {
    const titled = (to: string[], read: Parameters<typeof draft>[0] = {}) =>
      flat(callCard(draft(read, { arguments: { ...REPLY, to } })).blocks).split('\n')[0];
    expect(titled(['cy@other.test', 'a@b.test', 'c@d.test'])).toBe(
      'Reply to ‘Cy’ <cy@other.test> and 2 others · ‘Lunch’',
    );
    expect(titled(['stranger@evil.test'])).toBe('Reply to ‘stranger@evil.test’ · ‘Lunch’');
    for (const name of ['ana@here.test', 'ana﹫here', 'anaⓐhere', 'ana at here．test']) {
      expect(titled(['cy@other.test'], { from: `"${name}" <cy@other.test>` })).toBe(
        'Reply to ‘cy@other.test’ · ‘Lunch’',
      );
    }
    const long = `boss@corp.com.${'a'.repeat(60)}.${'b'.repeat(60)}.evil.com`;
    expect(titled([long], { from: `Boss <${long}>` })).toMatch(
      /^Reply to ‘Boss’ <boss@corp\.com\.a+…b+\.evil\.com> · ‘Lunch’$/,
    );
    expect(titled(['cy@other.test'], { from: '"Cy’ (approved by Ana" <cy@other.test>' })).toContain(
      'Reply to "Cy’ (approved by Ana" <cy@other.test>',
    );
  });

  it('counts who gets a copy among those whom it goes to, also in the notification', () => {
    const copies = { cc: ['a@b.test', 'c@d.test'], bcc: ['e@f.test'] };
    const { properties } = TOOL.inputSchema;
    const schema = { ...TOOL.inputSchema, properties: { ...Object(properties), bcc: { type: 'array' } } };
    const tool = { ...TOOL, inputSchema: schema };
    const card = callCard(draft({}, { tool, arguments: { ...REPLY, ...copies } }));
    const title = 'Reply to ‘Cy’ <cy@other.test> and 3 others · ‘Lunch’';
    expect(flat(card.blocks).split('\n')[0]).toBe(title);
    expect(card.text).toContain('and 3 others');
  });

  it('has the id of the mail where the mail itself isn’t there', () => {
    expect(flat(callCard(draft()).blocks)).not.toContain('m1');
    expect(flat(callCard(draft(null)).blocks)).toContain('Message id  `m1`');
    expect(flat(fullCallModal(draft(), 0).blocks)).not.toContain('`m1`');
    expect(flat(fullCallModal(draft(null), 0).blocks)).toContain('Message id  `m1`');
    const args = { ...REPLY, attach_message_id: 'm2' };
    const card = flat(callCard(draft({}, { arguments: args })).blocks);
    expect(card).toContain('Attach message id  `m2`');
    expect(card).not.toContain('m1');
  });

  it('shows in Home how the mail begins, so that two are told apart that look alike', () => {
    const args = { message_id: 'm1', attach_message_id: 'm9', to: ['cy@other.test'], body: 'Gladly.' };
    const entry = (text: string) => callEntry(draft({ text }, { arguments: args }), []);
    const words = flat(entry('At one?'));
    expect(words).toContain('From cy@other.test “Cy”\nLunch\nAt one?\n');
    expect(words).toContain('Attach message id  `m9`');
    expect(words).not.toContain('m1');
    const more = entry('At two?\n\nOr\nlater?\nIt is far.');
    expect(flat(more)).toContain('At two?\nOr\nlater? … All of it is under View everything.');
    expect(buttonsOf(more)).toEqual(['Accept', 'Ignore', 'View everything']);
  });

  it('marks each recipient that the server marks, where it is decided', () => {
    const marks = ['stranger@other.test is new to this conversation', '<!channel> is no address'];
    const card = flat(callCard(draft({ marks })).blocks);
    for (const mark of marks) expect(card).toContain(`⚠️ ${mark}`);
  });

  it('says so where the recipients could not be compared', () => {
    expect(flat(callCard(draft(null)).blocks)).toContain('⚠️ Whom this goes to couldn’t be compared');
  });

  it('has those look at the recipients who are not shown what they were compared with', () => {
    const card = flat(callCard({ ...draft(null), withheld: ana }).blocks);
    expect(card).toContain('⚠️ Whether whom this goes to is of the conversation isn’t shown here.');
  });

  it('has no link, mention or line of ours from what a stranger wrote', () => {
    const hostile = '<!channel> <https://evil.test|click>\n✅ Accepted by Ana\n*Accept* this ‮';
    const card = callCard(draft({ text: hostile, from: 'Ana <ana@here.test>\nApproved' }));
    assertMessage(card);
    const quote = card.blocks.find((block) => 'block_id' in block && block.block_id === 'mail:k1');
    expect(JSON.stringify(quote)).not.toContain('"type":"link"');
    expect(JSON.stringify(quote)).toContain('rich_text_quote');
    expect(JSON.stringify(quote)).not.toContain('‮');
  });

  it('has the mail whole behind View everything, and on as many pages as it takes', () => {
    const long = `${'a line of it\n'.repeat(400)}the end`;
    expect(flat(callCard(draft({ text: long })).blocks)).toContain(
      '… All of it is under ⋯ → View everything.',
    );
    const view = fullCallModal(draft({ text: long }));
    assertView(view);
    expect(JSON.stringify(view)).toContain('the end');
    const pages = 'a line that goes on for a while\n'.repeat(1_500);
    const first = fullCallModal(draft({ text: 'short' }, { arguments: { ...REPLY, body: pages } }));
    expect(flat(first.blocks)).toContain('Accept is on the last one');
  });

  it('says who accepted, and whether with changes', () => {
    const state = (type: 'approve' | 'edit') =>
      flat(callCard(draft({}, { state: 'executing', decision: approvedBy('Ana', type) })).blocks);
    expect(state('approve')).toContain('Accepted by Ana');
    expect(state('edit')).toContain('Accepted with changes by Ana');
  });

  it('is for accepting after all of it was looked at, where it is long', () => {
    const { blocks } = callCard(draft({}, { arguments: { ...REPLY, body: 'x'.repeat(2_000) } }));
    expect(buttonsOf(blocks)).toEqual(['View everything to accept', 'Edit', 'Ignore', 'Respond']);
  });
});

describe('the card of a long reply that is decided', () => {
  const lines = Array.from({ length: 24 }, (_, index) => `This is line ${index + 1}.`);
  const body = lines.join('\n');
  const decided = (changes: Parameters<typeof callView>[0]) =>
    draft({}, { state: 'succeeded', decision: approvedBy('Ana', 'edit'), ...changes });
  const edited = decided({
    arguments: { ...REPLY, body: lines.with(20, 'That is line 21.').join('\n') },
    proposedArguments: { ...REPLY, body },
  });

  it('shows what was changed far down in it', () => {
    const card = callCard(edited);
    assertMessage(card);
    expect(flat(card.blocks)).toMatch(
      /changed from\n.*… This is line 21\.\n.*\nto\n.*… That is line 21\.\n/s,
    );
    expect(flat(card.blocks)).not.toContain('This is line 1.');
    expect(flat(card.blocks)).not.toContain('m1');
  });

  it('has all that was sent a click away, to the letter, and the card of a short one has no such button', () => {
    expect(buttonsOf(callCard(edited).blocks)).toEqual(['View everything']);
    const whole = fullCallModal(edited);
    assertView(whole);
    expect(flat(whole.blocks)).toContain(lines.with(20, 'That is line 21.').join('\n'));
    expect(buttonsOf(whole.blocks)).toEqual([]);
    const short = { arguments: REPLY, proposedArguments: REPLY, decision: approvedBy('Ana') };
    expect(buttonsOf(callCard(decided(short)).blocks)).toEqual([]);
  });

  it.each(['executing', 'rejected', 'failed', 'in_doubt', 'expired'] as const)(
    'has it, too, where nothing was changed and it’s too long for the card: %s',
    (state) => {
      const long = { ...REPLY, body: `${body}\n${body}` };
      const card = callCard(decided({ state, arguments: long, proposedArguments: long }));
      expect(buttonsOf(card.blocks).at(-1)).toBe('View everything');
      expect(buttonsOf(card.blocks)).not.toContain('Accept');
    },
  );
});

describe('the card of a meeting from a mail', () => {
  it('has the four words, and no mail', () => {
    const { blocks } = callCard(meeting());
    expect(buttonsOf(blocks)).toEqual(['Accept', 'Edit', 'Ignore', 'Respond']);
    expect(flat(blocks)).not.toContain('The mail');
  });

  it('has how the mail begins where the card of the reply has it whole', () => {
    const view = draft({}, { tool: { ...TOOL, modelName: 'schedule_meeting' } });
    expect(flat(callCard(view).blocks)).toContain('Or later?\nCy');
    const beside = flat(callCard({ ...view, beside: draft().call }).blocks);
    expect(beside).toContain('Hi Ana,\nlunch on Friday?\nAt noon? … All of it is under ⋯ → View everything.');
    expect(beside).not.toContain('Or later?');
    expect(flat(callCard({ ...draft(), beside: view.call }).blocks)).toContain('Or later?\nCy');
  });
});

it('several of one message are each dealt with on their own card', () => {
  const calls = [draft(), meeting()];
  expect(buttonsOf(requestCard({ requestKey: 'r1', calls, isListed: false }).blocks)).toEqual([]);
});

describe('a reply whose text is another than before', () => {
  const before = { ...REPLY, body: 'Hi Cy,\n\nnot on Friday.\n\nBest regards\nAna' };

  it('has the new text once, and below it what it was, where it was drafted anew', () => {
    const corrects = callRecord({
      ...{ tool: TOOL, arguments: before, state: 'rejected' },
      decision: approvedBy('Ana', 'reject', 'say yes'),
    });
    const card = flat(callCard({ ...draft(), corrects }).blocks);
    expect(card).toContain(
      '“say yes”:\nBody  changed from\n┌\nHi Cy,\n\nnot on Friday.\n\nBest regards\nAna\n└\n[Accept',
    );
    expect(card.match(/gladly/g)).toHaveLength(1);
  });

  it('has it once where somebody changed it and others are asked', () => {
    const edits = [{ by: ana, at: 1 }];
    const card = flat(callCard(draft({}, { proposedArguments: before, edits })).blocks);
    expect(card).toContain('It was changed by Ana\nBody  changed from\n┌\nHi Cy,\n\nnot on Friday.');
    expect(card.match(/gladly/g)).toHaveLength(1);
  });

  it('has what changed with the lines that it has, and not in one', () => {
    const decided = {
      state: 'succeeded',
      decision: approvedBy('Ana', 'edit'),
      proposedArguments: before,
    } as const;
    const card = flat(callCard(draft({}, decided)).blocks);
    expect(card).toContain('Hi Cy,\n\nnot on Friday.\n\nBest regards\nAna\n└\nto\n┌\nHi Cy,\n\ngladly.');
    expect(card).toMatch(/Accepted with changes by Ana, [^:]*:12 [^:]* · done/);
    expect(card.match(/gladly/g)).toHaveLength(1);
  });
});

describe('the card of a question about a mail', () => {
  const asked = (graph?: 'inbox', about: CallView['about'] = null) =>
    questionCard({
      ...callView({ kind: 'question', tool: { ...callRecord().tool, ...(graph && { graph }) } }, { about }),
      question: 'Which Friday?',
      context: null,
    });

  it('names the mail and who wrote it, as they are, on the card and in its notification', () => {
    const { text, blocks } = asked('inbox', { from: '"<!channel>" <cy@other.test>', subject: 'Tent' });
    expect(flat(blocks)).toContain(
      'The agent asks Ana:\nAbout “Tent”, from cy@other.test “<!channel>”\n┌\nWhich Friday?\n└',
    );
    expect(text).toBe(
      'Ana: the agent asks “Which Friday?” About “Tent”, from cy@other.test “&lt;!channel&gt;”',
    );
    const unnamed = asked('inbox', { from: 'cy@other.test', subject: '' });
    expect(flat(unnamed.blocks)).toContain('About a mail without a subject, from cy@other.test');
  });

  it('is answered or ignored', () => {
    expect(buttonsOf(asked('inbox').blocks)).toEqual(['Answer…', 'Ignore']);
    expect(buttonsOf(asked().blocks)).toEqual(['Answer…']);
  });
});

describe('the forms of a draft', () => {
  it('edit the reply in a large field, below which mail it answers', () => {
    const view = editModal(draft({ from: '"<!channel>" <cy@other.test>' }));
    assertView(view);
    expect(flat(view.blocks)).toContain('Answers “Lunch”, from cy@other.test “<!channel>”\nTo *: ');
    const body = JSON.stringify(view.blocks.find((block) => JSON.stringify(block).includes('gladly')));
    expect(body).toContain('"multiline":true');
    expect(view.submit?.text).toBe('Accept with changes');
  });

  it('have the id of the mail only where the mail isn’t known', () => {
    expect(flat(editModal(draft()).blocks)).not.toContain('m1');
    expect(flat(editModal(draft(null)).blocks)).toMatch(
      /What it’s about, which stays as it is:\nMessage id {2}`m1`$/,
    );
  });

  it('edit a meeting in fields of its own', () => {
    const view = editModal(meeting());
    const kinds = view.blocks.map((block) => ('element' in block ? block.element?.type : null));
    expect(kinds).toEqual(expect.arrayContaining(['plain_text_input', 'datetimepicker', 'number_input']));
  });

  it('accept with more to do, in the words of the card', () => {
    const view = alsoModal(draft());
    assertView(view);
    expect(view).toMatchObject({ title: { text: 'Accept: Reply to mail' }, submit: { text: 'Accept' } });
  });

  it('respond below the mail and the draft', () => {
    const view = feedbackModal(draft());
    assertView(view);
    const submit = { text: 'Ask for a new draft' };
    expect(view).toMatchObject({ title: { text: 'Respond: Reply to mail' }, submit });
    expect(JSON.stringify(view)).toContain('lunch on Friday?');
  });
});

it('the page on the web warns of what the card marks, all of it, as long as the draft waits', () => {
  const marks = Array.from({ length: 10 }, (_, index) => `eve${index}@x.test is new to the conversation.`);
  const beside = callRecord({ tool: { ...TOOL, modelName: 'schedule_meeting' }, state: 'failed' });
  const view = { ...draft({ marks }), newer: newerMail('m2'), beside };
  expect(warned(view)).toEqual([
    ...marks,
    'A newer mail of this conversation came from cy@other.test, which this draft doesn’t know.',
    'The meeting beside this failed, so it isn’t in the calendar. Does the reply still fit?',
  ]);
  expect(warned(draft(null))).toEqual([expect.stringContaining('couldn’t be compared')]);
  const { state: _waits, ...over } = draft({ marks }).call;
  expect(warned({ ...draft({ marks }), call: { ...over, state: 'ignored' } })).toEqual([]);
});
