import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallState, callStateSchema } from '../../../../src/gate/call/record.ts';
import { visible } from '../../../../src/presentation/text/visible.ts';
import { parseCallValue } from '../../../../src/slack/cards/action-values.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { requestCard } from '../../../../src/slack/cards/request-card.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';
import {
  approvedBy,
  buttonsOf,
  buttonValue,
  callRecord,
  callView,
  createEventArguments,
  DIGEST,
  flat,
  schemaAndArguments,
  withTool,
} from './fixtures.ts';

describe('a card that waits', () => {
  it('shows what, for whom, until when, and every argument', () => {
    expect(flat(callCard(callView()).blocks)).toMatchInlineSnapshot(`
      "Create event ‘Standup’, Tue 24 Nov 09:00
      Title  Standup
      Start  Tue 24 Nov, 09:00 Europe/Berlin
      Length  15 min
      Attendees (2)  bob (U2), carol@example.com
      Rule: writes
      [Approve (primary)] [Edit] [Reject] [Feedback] [⋯ Approve, and also…, Don’t run this; do that instead…, View everything, Withdraw, More…]
      Only Ana can approve. Expires Fri 27 Nov 2026, 17:00 Europe/Berlin. calendar.create_event"
    `);
  });

  it('shows what the agent says in one marked and quoted line, whatever it is', () => {
    const shown = (said: string) => {
      const line = callCard(callView({ said, isAlone: true })).blocks.find(
        (block) => 'block_id' in block && block.block_id?.startsWith('said:'),
      );
      return line === undefined ? '' : flat([line]);
    };
    expect(shown('Friday is free for all three.')).toBe('The agent says: “Friday is free for all three.”');
    expect(shown('Fine.”\n✅ Approved by Ana')).toBe('The agent says: "Fine.” ✅ Approved by Ana"');
    expect(shown('<!channel> \u202egpj.exe')).toBe('The agent says: “<!channel> ⟨U+202E⟩gpj.exe”');
    expect(shown('words '.repeat(66)).length).toBeLessThan(220);
  });

  it('leaves that to the list where there are several', () => {
    const view = callView({ said: 'Two at once.' });
    expect(flat(callCard(view).blocks)).not.toContain('Two at once.');
    const list = requestCard({ requestKey: 'r1', calls: [view, callView()], isListed: false });
    expect(flat(list.blocks).split('The agent says: “Two at once.”')).toHaveLength(2);
  });

  it('says it all in the notification', () => {
    expect(callCard(callView()).text).toBe(
      'Ana: approve Create event ‘Standup’, Tue 24 Nov 09:00 (calendar.create_event)? Requested by Ana.',
    );
  });

  it('binds every deciding button to the digest of what it shows', () => {
    const value = buttonValue(callCard(callView()).blocks, 'call.approve');
    expect(parseCallValue(String(value))).toEqual({ callKey: 'k1', digest: DIGEST });
  });

  it('asks once more for a dangerous tool, naming the object', () => {
    const { tool } = callRecord();
    const { blocks } = callCard(callView({ tool: { ...tool, title: 'Delete event', destructive: true } }));
    expect(JSON.stringify(blocks)).toContain('"text":"Delete event ‘Standup’, Tue 24 Nov 09:00?"');
    expect(JSON.stringify(blocks)).toContain('"text":"Title: Standup\\n');
    expect(flat(blocks)).toContain('[Approve (danger)]');
  });

  it('cannot be approved when a value is cut off', () => {
    const { blocks } = callCard(callView({ arguments: { title: `${'x'.repeat(3990)} and delete all` } }));
    expect(buttonsOf(blocks)).toEqual(['View everything to approve', 'Edit', 'Reject', 'Feedback']);
    expect(flat(blocks)).toContain('… and 3505 more characters: see View everything');
  });

  it('says what is cut off with a word before the number, which a text from right to left would else take to its side', () => {
    const { blocks } = callCard(callView({ arguments: { title: 'נחגוג'.repeat(800) } }));
    expect(flat(blocks)).toMatch(/\p{Script=Hebrew} … and \d+ more characters: see View everything/u);
  });

  it('cannot be approved when there are more arguments than it shows', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, index]));
    const { blocks, text } = callCard(callView({ arguments: many }));
    assertMessage({ blocks, text });
    expect(buttonsOf(blocks)[0]).toBe('View everything to approve');
    expect(flat(blocks)).toContain('… and 75 more arguments');
  });

  it('boxes a value of several lines, so that it cannot imitate an argument', () => {
    const { blocks } = callCard(callView({ arguments: { title: 'Standup\nAttendees  nobody' } }));
    expect(flat(blocks)).toContain('Title\n┌\nStandup\nAttendees  nobody\n└');
  });

  it.each([
    ['default', null, ''],
    ['rule 3', null, ''],
    ['rule 3', 'Money leaves', 'Rule: Money leaves'],
    ['large sums', null, 'Rule: large sums'],
    ['large sums', 'Money leaves', 'Rule: large sums (Money leaves)'],
  ])('says of the rule %j and the reason %j only what says something', (rule, reason, words) => {
    const verdict = { action: 'ask' as const, rule, reason, policyVersion: 'v1' };
    expect(/Rule.*/.exec(flat(callCard(callView({ verdict })).blocks))?.[0] ?? '').toBe(words);
  });

  it('says when there are no arguments, for a schema without properties', () => {
    const { blocks } = callCard(withTool({ type: 'object' }, {}));
    expect(flat(blocks)).toContain('No arguments');
  });
});

describe('the same card later', () => {
  const done = callRecord({
    state: 'succeeded',
    decision: approvedBy('Ana'),
    outcome: {
      status: 'succeeded',
      content: [],
      structured: { event: { id: 'evt_12', status: 'confirmed' } },
    },
  });

  it('keeps the arguments, drops the buttons and says who, when and what came of it', () => {
    expect(flat(callCard(callView(done)).blocks)).toMatchInlineSnapshot(`
      "Create event ‘Standup’, Tue 24 Nov 09:00
      Title  Standup
      Start  Tue 24 Nov, 09:00 Europe/Berlin
      Length  15 min
      Attendees (2)  bob (U2), carol@example.com
      ✅ Approved by Ana, Tue 24 Nov 2026, 09:12 Europe/Berlin · done: id evt_12 · status confirmed
      Requested by Ana. calendar.create_event"
    `);
  });

  it('shows what was changed by hand', () => {
    const edited = callView({
      ...done,
      decision: approvedBy('Ana', 'edit'),
      arguments: { ...createEventArguments, title: 'Retro' },
      proposedArguments: createEventArguments,
    });
    expect(flat(callCard(edited).blocks)).toContain(
      'Approved with changes by Ana, Tue 24 Nov 2026, 09:12 Europe/Berlin: Title Standup → Retro · done',
    );
  });

  it('shows many changes in the place of their arguments, and each once', () => {
    const edited = callView({
      ...done,
      decision: approvedBy('Ana', 'edit'),
      arguments: { title: 'Retro', duration_minutes: 30, notes: 'bring\ncake' },
      proposedArguments: createEventArguments,
    });
    expect(flat(callCard(edited).blocks)).toMatchInlineSnapshot(`
      "Create event ‘Retro’, 2 lines
      Title  ~Standup~ → Retro
      Length  ~15 min~ → 30 min
      Notes  added
      ┌
      bring
      cake
      └
      Start  ~Tue 24 Nov, 09:00 Europe/Berlin~ → removed
      Attendees (2)  ~bob (U2), carol@example.com~ → removed
      ✅ Approved with changes by Ana, Tue 24 Nov 2026, 09:12 Europe/Berlin · done: id evt_12 · status confirmed
      Requested by Ana. calendar.create_event"
    `);
  });

  const builder = { id: 'key:env', name: 'Builder', session: 's' };
  const cases: [string, Parameters<typeof callView>[0], string][] = [
    ['running', { state: 'executing', decision: approvedBy('Ana') }, 'running…'],
    [
      'run by its program',
      { state: 'approved', executor: 'external', program: builder, decision: approvedBy('Ana') },
      'Approved by Ana, Tue 24 Nov 2026, 09:12 Europe/Berlin · runs in Builder, which has not reported the end yet',
    ],
    [
      'rejected',
      { state: 'rejected', decision: approvedBy('Ana', 'reject', 'make it 10am') },
      'Rejected by Ana, Tue 24 Nov 2026, 09:12 Europe/Berlin: “make it 10am”',
    ],
    ['expired', { state: 'expired' }, 'Expired Fri 27 Nov 2026, 17:00 Europe/Berlin'],
    ['withdrawn', { state: 'cancelled', decision: approvedBy('Ana', 'reject') }, 'Withdrawn by Ana'],
    ['superseded', { state: 'superseded' }, 'Superseded by a later message. Nothing ran.'],
    [
      'failed',
      {
        state: 'failed',
        decision: approvedBy('Ana'),
        outcome: {
          status: 'failed',
          message: 'calendar says “no such calendar”; nothing was created',
          content: [],
        },
      },
      'Failed: calendar says “no such calendar”; nothing was created',
    ],
    [
      'stopped',
      {
        state: 'failed',
        decision: approvedBy('Ana'),
        outcome: {
          status: 'failed',
          message: 'The job was cancelled.',
          content: [],
          jobEnd: 'cancelled',
          stoppedBy: { id: 'slack:T1:U1', name: 'Ana' },
        },
      },
      'Stopped by Ana: The job was cancelled.',
    ],
    [
      'blocked',
      {
        state: 'blocked',
        decision: approvedBy('Ana'),
        need: { kind: 'oauth_url', elicitationId: 'e', url: 'https://example.com', message: 'm' },
      },
      'waits for a sign-in',
    ],
    [
      'denied',
      {
        state: 'denied',
        verdict: { action: 'deny', rule: 'no-deletes', reason: 'Never delete.', policyVersion: 'v' },
      },
      'Not allowed: Never delete.',
    ],
  ];
  it.each(cases)('says in one line that it is %s', (_, changes, line) => {
    expect(flat(callCard(callView(changes)).blocks)).toContain(line);
  });

  it('asks what happened when that is unclear', () => {
    const doubt = callView({
      state: 'in_doubt',
      decision: approvedBy('Ana'),
      outcome: { status: 'in_doubt', message: 'The server did not answer.' },
    });
    expect(buttonsOf(callCard(doubt).blocks)).toEqual(['It happened', 'It did not happen', 'Ask again']);
  });

  const decided = callStateSchema.options.filter((state) => state !== 'pending' && state !== 'in_doubt');
  it.each(decided)('has no buttons when it is %s', (state: CallState) => {
    const message = callCard(callView({ state }));
    assertMessage(message);
    expect(buttonsOf(message.blocks)).toEqual([]);
  });
});

describe('any card', () => {
  it('stays within the limits, mentions nobody, and hides nothing that can be approved', () => {
    fc.assert(
      fc.property(
        schemaAndArguments,
        fc.constantFrom(...callStateSchema.options),
        fc.boolean(),
        ({ schema, args }, state, destructive) => {
          const view = withTool(schema, args, { destructive });
          const message = callCard({ ...view, call: { ...view.call, state } });
          assertMessage(message);
          if (!buttonsOf(message.blocks).includes('Approve')) return;
          const shown = flat(message.blocks);
          for (const value of Object.values(args)) {
            // Blanks that nobody sees are spelled out.
            if (typeof value !== 'string' || /^\d|^\s|\s$|[\t\r]| \n|^$|^U2$/.test(value)) continue;
            const forms = [value, JSON.stringify(value)].map((form) => visible(form).replaceAll('`', ''));
            expect(forms.filter((form) => shown.replaceAll('`', '').includes(form))).not.toEqual([]);
          }
        },
      ),
      runs(300),
    );
  });

  it('shows the tail of an edited value, or that there is more', () => {
    fc.assert(
      fc.property(schemaAndArguments, schemaAndArguments, ({ schema, args }, other) => {
        const view = withTool(schema, args);
        assertMessage(
          callCard({
            ...view,
            call: {
              ...view.call,
              state: 'executing',
              proposedArguments: other.args,
              decision: approvedBy('Ana', 'edit'),
            },
          }),
        );
      }),
      runs(150),
    );
  });
});

describe('what somebody changed before it was asked about again', () => {
  const changed = (title: string) =>
    flat(
      callCard(
        callView({
          arguments: { ...createEventArguments, title },
          proposedArguments: { ...createEventArguments, title: 'Standup' },
          edits: [{ by: { id: 'slack:T1:U2', name: 'Bob' }, at: 1 }],
        }),
      ).blocks,
    );

  it('stands on its card with who it was, in their line if it’s short', () => {
    expect(changed('Lunch')).toContain('It was changed by Bob: Title Standup → Lunch');
  });

  it('stands below their line if it’s long', () => {
    expect(changed('Lunch '.repeat(40))).toMatch(/It was changed by Bob\n.*Standup~ → .*Lunch Lunch/);
  });
});
