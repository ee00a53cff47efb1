import { validateView } from '@countersign/slack-emulator';
import { renderText } from '@countersign/slack-emulator/driver';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { examplesFor } from '../../../../src/presentation/example-prompts.ts';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import { toPage } from '../../../../src/slack/home/paging.ts';
import { type HomeContent, homeView } from '../../../../src/slack/home/view.ts';
import { threadUrl } from '../../../../src/slack/permalinks.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { INBOX } from '../../../slack-check/inbox-surfaces.ts';
import {
  approvedBy,
  BUILDER,
  buttonsOf,
  callRecord,
  callView,
  flat,
  NO_USE,
  NOW,
  resolve,
  schemaAndArguments,
  withTool,
} from '../cards/fixtures.ts';

type Changes = Partial<Omit<HomeContent, 'waiting' | 'asked'>>;

interface Lists {
  readonly waiting?: readonly CallView[];
  readonly asked?: readonly CallView[];
  readonly page?: number;
  readonly isMore?: boolean;
}

/** A call by which a mail is answered. */
const ofInbox = (changes: Parameters<typeof callView>[0] = {}) =>
  callView({ ...changes, tool: { ...callRecord().tool, graph: 'inbox', ...changes.tool } });

function home({ waiting = [], asked = [], page = 0, isMore = false, ...changes }: Lists & Changes = {}) {
  return homeView({
    threadUrl: () => null,
    botName: 'countersign',
    askedFilter: { chosen: null, kinds: [] },
    cards: new Map(),
    hasAsked: asked.length > 0,
    filter: null,
    waiting: toPage('waiting', waiting, page, { isMore }),
    asked: toPage('asked', asked, page, { isMore }),
    servers: [
      {
        name: 'calendar',
        transport: 'in_process',
        protection: null,
        state: 'up',
        error: null,
        toolCount: 4,
        omitted: [],
      },
    ],
    tools: [],
    examples: ['list events with calendar'],
    permissions: null,
    use: NO_USE,
    reviews: null,
    health: null,
    ...changes,
  });
}

describe('App Home', () => {
  it('teaches when there is nothing yet', () => {
    const view = home();
    assertView(view);
    expect(flat(view.blocks)).toMatchInlineSnapshot(`
      "# Nothing is waiting for you
      # You asked for
      Nothing yet. Mention @countersign in a channel, or write to it in its messages tab, for example:
      • list events with calendar
      # Connected servers
      🟢 calendar · 4 tools"
    `);
  });

  it('says that more may wait than was looked through, also where nothing was found', () => {
    const none = flat(home({ isMore: true }).blocks);
    expect(none).toContain(
      '# Found nothing that is waiting for you\nNot everything was searched, so there may be more.',
    );
    const one = home({ waiting: [callView()], isMore: true });
    assertView(one);
    expect(flat(one.blocks)).toContain('# Waiting for you (1+)');
    expect(flat(one.blocks)).toContain('Not everything was searched, so there may be more.');
    expect(flat(home({ waiting: [callView()] }).blocks)).not.toContain('there may be more');
  });

  it('shows first what waits, decidable, then what I asked for', () => {
    const waits = callView({ arguments: { title: 'Theirs' } }, { callKey: 'waits' });
    const asked = callView({ arguments: { title: 'Mine' }, state: 'succeeded' }, { callKey: 'mine' });
    const words = flat(home({ waiting: [waits], asked: [asked] }).blocks);
    expect(words.indexOf('Theirs')).toBeLessThan(words.indexOf('Mine'));
    expect(words).toContain('[Approve (primary)] [Reject] [View everything]');
  });

  it('has the mailbox right below what waits, and one that isn’t watched further down', () => {
    const headings = (inbox: typeof INBOX) => flat(home({ inbox }).blocks).match(/^# .*/gm);
    expect(headings(INBOX)?.at(1)).toBe('# Your mailboxes');
    expect(headings({ ...INBOX, mailboxes: [] })?.at(-1)).toBe('# Your mailboxes');
  });

  it('says since when what is about a mail waits, and nothing of tools', () => {
    const words = flat(
      home({ waiting: [ofInbox({ arguments: { title: 'Budget' }, proposedAt: NOW })] }).blocks,
    );
    expect(words).toMatch(/‘Budget’\nSince \w{3} \d+ \w{3} 2026, \d\d:\d\d/);
    expect(words).toContain('Only Ana can accept.');
    expect(words).not.toContain('create_event');
  });

  it('quotes what the agent asks, and no name of a tool', () => {
    const question = `The mail asks: “Do you open it, or shall I?” ${'How long is it to be? '.repeat(4)}What shall I say?`;
    const asked = callView({ kind: 'question', arguments: { question } });
    const words = flat(home({ waiting: [asked] }).blocks);
    expect(words).toContain(`The agent asks: ${JSON.stringify(question)}`);
  });

  it('names the program that asked in my name', () => {
    const asked = [callView({ program: BUILDER, state: 'failed' })];
    expect(flat(home({ asked }).blocks)).toContain('(calendar.create_event), asked by Builder\n❌ Failed');
  });

  it('lists what waits by headline, short arguments, people and deadline', () => {
    const waiting = [
      callView({ threadId: 'api:ci:demo', arguments: { title: 'Standup', start: 'Friday 9:00' } }),
    ];
    expect(flat(home({ waiting }).blocks)).toContain(
      [
        '# Waiting for you (1)',
        'Create event ‘Standup’',
        'Title  Standup    Start  Friday 9:00',
        'Rule: writes',
        'Only Ana can approve. Expires Fri 27 Nov 2026, 17:00 Europe/Berlin. calendar.create_event',
        '[Approve (primary)] [Reject] [View everything]',
      ].join('\n'),
    );
  });

  it.each([
    ['long', { title: 'Standup', agenda: 'word '.repeat(60) }],
    ['in a box', { title: 'Standup', agenda: 'one\ntwo' }],
  ])('wants what is %s to be viewed before it is approved, and shows no part of it', (_what, args) => {
    const { blocks } = home({ waiting: [callView({ arguments: args })] });
    expect(buttonsOf(blocks)).toEqual(['View everything to approve', 'Reject']);
    expect(flat(blocks)).not.toContain('Title');
  });

  it('links to the card of what waits, and to the thread where that is not known', () => {
    const waiting = ['k1', 'k2'].map((callKey) => callView({ threadId: 'slack:T1:C1:1.2' }, { callKey }));
    const view = home({
      waiting,
      cards: new Map([['k2', { channel: 'C1', ts: '3.4' }]]),
      threadUrl: (...at) => threadUrl('https://t.slack.com/', ...at),
    });
    expect(JSON.stringify(view).match(/https:[^"]*|Open \w+/g)).toEqual([
      'https://t.slack.com/archives/C1/p12?thread_ts=1.2&cid=C1',
      'Open thread',
      'https://t.slack.com/archives/C1/p34?thread_ts=1.2&cid=C1',
      'Open card',
    ]);
  });

  it('does not teach somebody all of whose requests are in the list above', () => {
    const words = flat(home({ waiting: [callView()], hasAsked: true }).blocks);
    expect(words).toContain('# You asked for\nNothing else.');
  });

  it('says of what waits where it was asked for, with the way there', () => {
    const oauth = { kind: 'oauth_url', elicitationId: 'e', url: 'https://sign.in/', message: 'm' } as const;
    const waiting = [
      callView({ threadId: 'slack:T1:C1:1.2' }, { callKey: 'k1' }),
      callView({ threadId: 'slack:T1:D1:1.2', state: 'blocked', need: oauth }, { callKey: 'k2' }),
      callView({ threadId: 'slack:T1:C2:1.2', kind: 'question' }, { callKey: 'k3' }),
      callView({ threadId: 'api:ci:demo' }, { callKey: 'k4' }),
    ];
    const view = home({ waiting, threadUrl: (threadId) => threadUrl('https://t.slack.com/', threadId) });
    assertView(view);
    const links = JSON.stringify(view).match(/https:\/\/t\.slack\.com[^"]*/g);
    expect(links).toEqual(
      ['C1', 'D1', 'C2'].map((id) => `https://t.slack.com/archives/${id}/p12?thread_ts=1.2&cid=${id}`),
    );
    expect(JSON.stringify(view).match(/"channel_id":"\w+"/g)).toEqual([
      '"channel_id":"C1"',
      '"channel_id":"C2"',
    ]);
    expect(flat(view.blocks)).toContain('Direct messages · Open thread');
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

  it('pages what is too much, saying where one is and how much more there is', () => {
    const many = Array.from({ length: 95 }, (_, index) => callView({}, { callKey: `k${index}` }));
    const first = home({ waiting: many });
    expect(flat(first.blocks)).toContain('Page 1 of 12 · and 87 more');
    expect(buttonsOf(first.blocks)).toContain('Next 8');
    const last = home({ waiting: many, page: 11 });
    expect(flat(last.blocks)).toContain('Page 12 of 12');
    expect(buttonsOf(last.blocks)).not.toContain('Next 8');
    expect(buttonsOf(last.blocks)).toContain('Previous');
  });

  it('says that there is more than it has read', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => callView({}, { callKey: `k${index}` }));
    expect(flat(home({ waiting: many, isMore: true }).blocks)).toContain('Waiting for you (1,000+)');
    expect(flat(home({ waiting: many, isMore: true, page: 124 }).blocks)).toContain('Page 125 of 125+');
  });

  it('stays within Slack’s limits with the longest of everything on it', () => {
    const most = fullHome();
    assertView(most);
    expect(validateView(JSON.parse(JSON.stringify(most)))).toBeNull();
  });

  it.each([
    ['has a menu and the buttons', 'on', 2, ['[Forget all] [Turn off]', 'Nobody else sees it']],
    ['counts those left out', 'on', 12, ['and 4 more: /countersign memory']],
    ['says that there is nothing yet', 'on', 0, ['Nothing yet.', '[Turn off]']],
    ['says that it is full', 'on', 50, ['takes the place of what you said first']],
    ['says that it is off', 'turned_off', 1, ['[Forget all] [Turn on]', 'Turned off', 'It stays until']],
    ['says that it is off and there is nothing', 'turned_off', 0, ['[Turn on]', 'nothing that I learned']],
    ['lets forget what the operator turned off', 'not_here', 1, ['for everybody: I learn', '[Forget all]']],
  ] as const)('of what is remembered %s', (_what, mode, count, lines) => {
    const view = home({ memory: { mode, items: memories(count, 'likes <b>tea</b>') } });
    assertView(view);
    const words = renderText(JSON.parse(JSON.stringify(view)));
    for (const line of ['What I remember of you', ...lines]) expect(words).toContain(line);
    expect(words.split('About you: likes <b>tea</b>').length - 1).toBe(Math.min(count, 8));
  });

  it('says nothing of memory where there is none', () => {
    expect(flat(home({ memory: { mode: 'not_here', items: [] } }).blocks)).not.toContain('remember');
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
      runs(60),
    );
  });
});

const memories = (count: number, text: string): NonNullable<HomeContent['memory']>['items'] =>
  Array.from({ length: count }, (_, index) => ({
    id: `m${index}`,
    kind: 'critical_fact',
    key: 'other',
    text,
    learnedAt: NOW,
    place: null,
    where: text,
  }));

/** The longest that each list can be, and the longest calls with every line that a card can have. */
function fullHome() {
  const { tool } = callRecord();
  const long = '界'.repeat(499);
  const args = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index} ${long}`, long]));
  const doubt = { attempt: 1, said: null };
  const waiting = Array.from({ length: 95 }, (_, index) =>
    callView(
      {
        tool: { ...tool, title: long, server: long, inputSchema: {}, destructive: true },
        arguments: args,
        attempt: 2,
        doubt,
        askedAgain: long,
        verdict: { action: 'ask', rule: long, reason: long, policyVersion: 'v1' },
      },
      {
        callKey: `k${index}`.padEnd(64, 'x'),
        resolve: { ...resolve, findObject: () => ({ name: long, date: null, fields: {} }) },
      },
    ),
  );
  const asked = waiting.map((view) => ({
    ...view,
    call: { ...view.call, state: 'rejected' as const, decision: approvedBy(long, 'reject', long) },
  }));
  const servers = Array.from({ length: 30 }, () => ({
    name: long,
    transport: 'http' as const,
    protection: null,
    state: 'down' as const,
    error: long,
    toolCount: 0,
    omitted: [],
  }));
  const rules = Array.from({ length: 20 }, () => ({
    rule: long,
    decided: 1,
    approved: 0,
    unread: 0,
    expired: 0,
    medianWaitMs: 1,
    p95WaitMs: 1,
    unreadShare: 1,
    expiredShare: 1,
  }));
  const person = { id: 'slack:T1:U2', name: long };
  const delegations = Array.from({ length: 30 }, (_, index) => ({
    delegationId: `d${index}`,
    from: person,
    to: person,
    begins: NOW,
    until: NOW + 1,
    reason: long,
    at: NOW,
    ended: null,
  }));
  return home({
    waiting,
    asked,
    page: 3,
    isMore: true,
    servers,
    health: { week: rules, month: rules, suggestions: [], ofLatest: 1_000 },
    memory: { mode: 'on', items: memories(50, long) },
    permissions: {
      viewerId: 'slack:T1:U1',
      now: NOW,
      timeZone: 'Europe/Berlin',
      names: { user: () => null, channel: () => null },
      tools: new Map(),
      grants: Array.from({ length: 30 }, (_, index) => ({
        grantId: `g${index}`,
        by: person,
        tool: { server: long, name: long, title: long },
        definitionHash: 'd',
        fixed: args,
        free: Object.keys(args),
        place: { kind: 'channel' as const, channel: 'slack:T1:C1' },
        threadId: 't',
        callId: 'c',
        at: NOW,
        until: NOW + 1,
        limit: 1_000,
        used: 0,
        usedAt: null,
        ended: null,
      })),
      mine: delegations,
      others: delegations,
      channel: () => long,
    },
  });
}

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
