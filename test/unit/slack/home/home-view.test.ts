import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { examplesFor } from '../../../../src/slack/home/examples.ts';
import { type HomeContent, homeView } from '../../../../src/slack/home/home-view.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { buttonsOf, callView, flat, schemaAndArguments, withTool } from '../cards/fixtures.ts';

function home(changes: Partial<HomeContent> = {}) {
  return homeView({
    botName: 'countersign',
    waiting: [],
    asked: [],
    servers: [{ name: 'calendar', transport: 'in_process', state: 'up', error: null, toolCount: 4 }],
    examples: ['list events with calendar'],
    waitingPage: 0,
    askedPage: 0,
    ...changes,
  });
}

describe('App Home', () => {
  it('teaches when there is nothing yet', () => {
    const view = home();
    assertView(view);
    expect(flat(view.blocks)).toMatchInlineSnapshot(`
      "# Nothing waits for you
      # You asked for
      Nothing yet. Mention @countersign in a channel, or write to it in its messages tab, for example:
      • list events with calendar
      # Connected servers
      🟢 calendar · 4 tools"
    `);
  });

  it('shows first what waits, oldest first and decidable, then what I asked for', () => {
    const late = callView({ arguments: { title: 'Late' }, proposedAt: 2 }, { callKey: 'late' });
    const early = callView({ arguments: { title: 'Early' }, proposedAt: 1 }, { callKey: 'early' });
    const asked = callView({ arguments: { title: 'Mine' }, state: 'succeeded' }, { callKey: 'mine' });
    const words = flat(home({ waiting: [late, early], asked: [asked] }).blocks);
    expect(words.indexOf('Early')).toBeLessThan(words.indexOf('Late'));
    expect(words.indexOf('Late')).toBeLessThan(words.indexOf('Mine'));
    expect(words).toContain('[Approve (primary)] [Edit…] [Reject…]');
  });

  it('shows what was asked for together in the order in which it was, in both lists', () => {
    const views = [2, 0, 1].map((ordinal) =>
      callView({ arguments: { title: `Title ${ordinal}` }, ordinal }, { callKey: `k${ordinal}` }),
    );
    for (const content of [{ waiting: views }, { asked: views }]) {
      const words = flat(home(content).blocks);
      const places = ['Title 0', 'Title 1', 'Title 2'].map((title) => words.indexOf(title));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }
  });

  it('shows what a server asks for, without a link, and what to do', () => {
    const oauth = { kind: 'oauth_url', elicitationId: 'e', url: 'https://sign.in/', message: 'm' } as const;
    const form = {
      kind: 'form_elicitation',
      elicitationId: 'e',
      message: 'Which room?',
      requestedSchema: {},
    } as const;
    const view = home({
      waiting: [
        callView({ state: 'blocked', need: oauth }, { callKey: 'k1' }),
        callView({ state: 'executing', need: form }, { callKey: 'k2' }),
      ],
    });
    assertView(view);
    expect(buttonsOf(view.blocks)).toEqual(['Connect calendar…', 'Retry', 'Fill in…', 'Decline']);
    expect(flat(view.blocks)).toContain('Which room?');
    expect(JSON.stringify(view)).not.toContain('https://sign.in/');
  });

  it('pages what is too much, saying how much more there is', () => {
    const many = Array.from({ length: 95 }, (_, index) =>
      callView({ proposedAt: index }, { callKey: `k${index}`, risk: 'Risk.' }),
    );
    for (const page of [0, 5, 99]) {
      assertView(home({ waiting: many, asked: many, waitingPage: page, askedPage: page }));
    }
    const first = home({ waiting: many });
    expect(flat(first.blocks)).toContain('and 85 more');
    expect(buttonsOf(first.blocks)).toContain('Show 10 more');
  });

  it('fits Slack whatever waits', () => {
    fc.assert(
      fc.property(fc.array(schemaAndArguments, { maxLength: 12 }), (all) => {
        const waiting = all.map(({ schema, args }, index) => ({
          ...withTool(schema, args),
          callKey: `k${index}`,
        }));
        assertView(home({ waiting, asked: waiting }));
      }),
      { numRuns: 60 },
    );
  });
});

describe('examples', () => {
  it('come from different servers, what only reads first', () => {
    const tools = [
      { server: 'calendar', title: 'Create event', readOnly: false },
      { server: 'calendar', title: 'List events', readOnly: true },
      { server: 'mail', title: 'Send mail', readOnly: false },
    ];
    expect(examplesFor(tools)).toEqual(['list events', 'send mail', 'create event']);
  });
});
