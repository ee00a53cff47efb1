import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moreValue, parseCallValue, parseMoreValue } from '../../../../src/slack/cards/action-values.ts';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import {
  connectDone,
  connectLine,
  elicitationCard,
  elicitationDone,
} from '../../../../src/slack/cards/elicitation-cards.ts';
import { heldMessageCard } from '../../../../src/slack/cards/held-message-card.ts';
import {
  errorLine,
  helpText,
  pendingText,
  plainLine,
  statusText,
} from '../../../../src/slack/cards/plain-messages.ts';
import { questionCard } from '../../../../src/slack/cards/question-card.ts';
import { requestCard } from '../../../../src/slack/cards/request-card.ts';
import { questionModal } from '../../../../src/slack/modals/question.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';
import {
  approvedBy,
  BUILDER,
  buttonsOf,
  callRecord,
  callView,
  DIGEST,
  flat,
  NO_USE,
  nastyString,
} from './fixtures.ts';

const titled = (title: string, key: string, changes: Parameters<typeof callView>[0] = {}) =>
  callView({ arguments: { title }, ...changes }, { callKey: key });

describe('a question of the agent', () => {
  const question = { question: 'Which room?', context: 'Two are free.' };

  it('is marked as the agent’s words', () => {
    const message = questionCard({ ...callView({ kind: 'question' }), ...question });
    assertMessage(message);
    expect(flat(message.blocks)).toBe(
      'The agent asks Ana:\n┌\nWhich room?\n└\nThe agent adds: Two are free.\n[Answer… (primary)]',
    );
  });

  it.each([
    ['Which room?', 'which room', ''],
    ['Two are free. Which room?', null, 'The agent says: “Two are free.”'],
    ['I look for one.', null, 'The agent says: “I look for one.”'],
  ])('is there once, where the agent says “%s” and adds “%s”', (said, context, shown) => {
    const view = { ...callView({ kind: 'question', isAlone: true, said }), question: 'Which room?', context };
    const card = flat(questionCard(view).blocks);
    const modal = flat(questionModal(view).blocks);
    for (const words of [card, modal]) expect(words.match(/which room/gi)).toHaveLength(1);
    expect(card).toContain(shown);
    expect(card.includes('The agent says')).toBe(shown !== '');
  });

  it('shows who answered what', () => {
    const decision = { ...approvedBy('Ana'), type: 'answer' as const, feedback: 'the big one' };
    const { blocks } = questionCard({
      ...callView({ kind: 'question', state: 'succeeded', decision }),
      ...question,
    });
    expect(flat(blocks)).toContain('Answered by Ana: “the big one”');
  });
});

describe('what a server needs', () => {
  const need = {
    callKey: 'k1',
    server: 'calendar',
    title: 'Create event',
    message: 'Which calendar?',
    isHidden: false,
    requester: { name: 'Ana', slackUser: null },
  };
  const inSlack = { ...need, requester: { name: 'Ana', slackUser: 'U1' } };

  it('is a form behind a button', () => {
    const message = elicitationCard(need);
    assertMessage(message);
    expect(buttonsOf(message.blocks)).toEqual(['Fill in…', 'Decline']);
  });

  it('is a sign-in, without its link in the thread', () => {
    const message = connectLine(need);
    assertMessage(message);
    expect(buttonsOf(message.blocks)).toEqual(['Connect calendar…', 'Retry']);
    expect(JSON.stringify(message)).not.toContain('url');
  });

  it('says who must connect what', () => {
    expect(flat(connectLine(need).blocks)).toContain('Ana must connect calendar: Create event waits.');
    expect(connectLine(inSlack).text).toBe('Ana must connect calendar: Create event waits.');
  });

  it.each([
    ['a form', elicitationCard(inSlack)],
    ['a sign-in', connectLine(inSlack)],
  ])('calls the one person who has to see to %s, once', (_what, message) => {
    const mentions = [...JSON.stringify(message).matchAll(/"type":"user","user_id":"(\w+)"/g)];
    expect(mentions.map(([, user]) => user)).toEqual(['U1']);
  });

  it('ends in a line', () => {
    expect(elicitationDone(need, 'answered by Ana').text).toContain('answered by Ana');
    expect(connectDone(need, { isConnected: true }).text).toBe('calendar is connected');
    expect(connectDone(need, { isConnected: false }).text).toBe('calendar: no longer waiting');
  });
});

describe('a message while a call waits', () => {
  it('says what waits and asks what the message is for', () => {
    const message = heldMessageCard({ key: 'p1', calls: [callView()] });
    assertMessage(message);
    expect(flat(message.blocks)).toMatchInlineSnapshot(`
      "Create event ‘Standup’, Tue 24 Nov 09:00 (calendar.create_event) still waits for a decision.
      Your message is kept. Is it about that, or something else? Do both answers it now; what waits goes on waiting.
      [Send it back, with my message as feedback] [Withdraw that and go on] [Do both] [Leave it waiting]"
    `);
  });
});

describe('a message while a question waits', () => {
  const question = callView({ kind: 'question' });
  const ALWAYS = ['Do both', 'Leave it waiting'];

  it('can be the answer to it, and no feedback', () => {
    const message = heldMessageCard({ key: 'p1', calls: [question] });
    assertMessage(message);
    expect(buttonsOf(message.blocks)).toEqual([
      'Use my message as the answer',
      'Withdraw that and go on',
      ...ALWAYS,
    ]);
  });

  it('can be either when an action waits beside it', () => {
    const calls = [question, titled('A', 'a')];
    expect(buttonsOf(heldMessageCard({ key: 'p1', calls }).blocks)).toEqual([
      'Send it back, with my message as feedback',
      'Use my message as the answer',
      'Withdraw that and go on',
      ...ALWAYS,
    ]);
  });

  it('is no answer where two wait, and it names none', () => {
    const calls = [question, { ...question, callKey: 'k2' }];
    const { blocks } = heldMessageCard({ key: 'p1', calls });
    expect(buttonsOf(blocks)).toEqual(['Withdraw that and go on', ...ALWAYS]);
  });
});

describe('lines', () => {
  it('say an error in one line', () => {
    expect(errorLine({ userMessage: 'The calendar is down.\nNothing was created.' }).text).toBe(
      '⚠️ The calendar is down. Nothing was created.',
    );
  });

  it('help with examples', () => {
    const message = helpText('countersign', ['list events with calendar']);
    assertMessage(message);
    expect(flat(message.blocks)).toContain('• @countersign list events with calendar');
  });

  it('tell what waits, and that there may be more', () => {
    const some = { waiting: [callView()], threadUrl: () => 'https://acme.slack.com/t' };
    expect(flat(pendingText({ ...some, isMore: false }).blocks)).toMatch(
      /^1 waiting for you\.(?!.*there may be more).* · Open/s,
    );
    expect(flat(pendingText({ ...some, isMore: true }).blocks)).toMatch(
      /^1\+ waiting for you\..*there may be more\.$/s,
    );
    const none = pendingText({ ...some, waiting: [], isMore: true });
    assertMessage(none);
    expect(none.text).toMatch(/^Found nothing that is waiting for you\./);
  });

  it.each([
    ['does not say so where all tools fit beside the question', 127, 0, false],
    ['says so where there are more tools than the model takes at once', 128, 0, true],
    ['does not count tools that wait for a review', 127, 20, false],
  ])('the status %s', (_what, usable, held, isSaid) => {
    const server = 'mail';
    const tools = [
      ...Array.from({ length: usable }, (_, index) => ({ server, modelName: `mail__${index}` })),
      ...Array.from({ length: held }, (_, index) => ({
        server,
        modelName: `mail__held_${index}`,
        unavailableReason: 'Not reviewed.',
      })),
      ...['mail', 'notes'].map((name) => ({ server: name, modelName: 'mail__0' })),
    ];
    const message = statusText({
      servers: [],
      tools,
      maxTools: 128,
      waiting: [],
      isMore: false,
      open: [],
      use: NO_USE,
      threadUrl: () => null,
    });
    assertMessage(message);
    expect(flat(message.blocks).includes('128 tools in all, 128 at once')).toBe(isSaid);
  });

  it('the status lists what waits for its requester once', () => {
    const also = { ...callView({ state: 'executing' }), callKey: 'k2' };
    const lists = { servers: [], tools: [], maxTools: 0, isMore: false, use: NO_USE, threadUrl: () => null };
    const shown = (open: readonly CallView[]) =>
      flat(statusText({ ...lists, waiting: [callView()], open }).blocks);
    expect(shown([callView()])).not.toContain('asked for');
    expect(shown([callView(), also])).toMatch(/You also asked for\n• [^\n]*running…/);
  });

  it('tell the status', () => {
    const servers = [
      {
        name: 'calendar',
        transport: 'in_process',
        protection: null,
        state: 'up',
        error: null,
        toolCount: 4,
        omitted: [],
      },
      {
        name: 'mail',
        transport: 'http',
        protection: null,
        state: 'down',
        error: 'refused',
        toolCount: 0,
        omitted: [],
      },
      {
        name: 'notes',
        transport: 'http',
        protection: null,
        state: 'idle',
        error: null,
        toolCount: 2,
        omitted: [],
      },
    ] as const;
    const message = statusText({
      servers,
      tools: [],
      maxTools: 128,
      waiting: [callView()],
      isMore: false,
      open: [{ ...callView({ state: 'executing', program: BUILDER }), callKey: 'k2' }],
      use: NO_USE,
      threadUrl: () => null,
    });
    assertMessage(message);
    expect(flat(message.blocks)).toMatchInlineSnapshot(`
      "1 waiting for you.
      • Create event ‘Standup’, Tue 24 Nov 09:00 (calendar.create_event), expires Fri 27 Nov 2026, 17:00 Europe/Berlin
      You also asked for
      • Create event ‘Standup’, Tue 24 Nov 09:00 (calendar.create_event), asked by Builder: ▶️ running…
      Servers
      🟢 calendar · 4 tools
      🔴 mail · down: refused
      ⚪ notes · idle – connects when it is used"
    `);
  });
});

describe('references', () => {
  it('are read as they were written', () => {
    const key = 'x'.repeat(64);
    expect(parseCallValue(`${key}:${DIGEST}`)).toEqual({ callKey: key, digest: DIGEST });
    expect(parseMoreValue(moreValue('withdraw', key))).toEqual({ choice: 'withdraw', callKey: key });
  });

  it.each(['', 'k1', `k1:${DIGEST}0`, `:${DIGEST}`, `a:b:${DIGEST}`, `${'x'.repeat(65)}:${DIGEST}`])(
    'refuse %j',
    (value) => {
      expect(parseCallValue(value)).toBeNull();
    },
  );

  it.each(['', 'view', 'view:', 'delete:k1', ':k1'])('refuse the option %j', (value) => {
    expect(parseMoreValue(value)).toBeNull();
  });
});

describe('every other message', () => {
  it('stays within the limits and mentions nobody, whatever a model or a server says', () => {
    fc.assert(
      fc.property(nastyString, nastyString, (a, b) => {
        const requester = { name: a, slackUser: null };
        const need = { callKey: 'k1', server: a, title: b, message: `${a}${b}`, isHidden: false, requester };
        const { tool } = callRecord();
        const view = callView(
          { tool: { ...tool, title: a, server: b }, arguments: { a, b }, requester: { id: 'x', name: a } },
          { approvers: { who: b, isOnly: true, verb: 'can approve', progress: b } },
        );
        assertMessage(questionCard({ ...view, question: a, context: b }));
        assertMessage(elicitationCard(need));
        assertMessage(elicitationDone(need, a));
        assertMessage(connectLine(need));
        assertMessage(plainLine(a));
        assertMessage(errorLine({ userMessage: a }));
        assertMessage(helpText(a, [b]));
        assertMessage(heldMessageCard({ key: 'p', calls: [view, { ...view, callKey: 'k2' }] }));
        assertMessage(
          requestCard({ requestKey: 'r', calls: [view, { ...view, callKey: 'k2' }], isListed: true }),
        );
        const servers = [
          {
            name: a,
            transport: 'http' as const,
            protection: null,
            state: 'down' as const,
            error: b,
            toolCount: 0,
            omitted: [],
          },
        ];
        assertMessage(
          statusText({
            servers,
            tools: [],
            maxTools: 0,
            waiting: [view],
            isMore: false,
            open: [view],
            use: NO_USE,
            threadUrl: () => null,
          }),
        );
      }),
      runs(150),
    );
  });
});
