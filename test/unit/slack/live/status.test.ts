import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { LiveEvent } from '../../../../src/runs/ports.ts';
import { createPresenter } from '../../../../src/slack/live/presenter.ts';
import { HTTP } from '../../../helpers/network.ts';
import { THREAD } from '../../../helpers/people.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';
import { quiet } from '../../../helpers/workspace.ts';
import { item, thread } from './fixtures.ts';

const SESSIONS = 'agents.sessions.setStatus';
const WORDS = 'assistant.threads.setStatus';

let api: ReturnType<typeof createFakeApi>;
let presenter: ReturnType<typeof createPresenter>;
/** The free share of the rate limits. */
let room: number;
beforeEach(() => {
  room = 1;
  api = createFakeApi();
  presenter = createPresenter({
    client: api.client,
    log: quiet,
    teamOf: async () => null,
    room: () => room,
    isClear: async () => true,
  });
});
afterEach(() => {
  presenter.stop();
  vi.useRealTimers();
});

const see = (event: LiveEvent, on = thread) => presenter.observe(on, item, event);
const status = (text: string) => see({ type: 'status', text });
/** What was sent of the thread's status, in order: a session's state, or words where there are no sessions. */
const statuses = () => [...api.of(SESSIONS), ...api.of(WORDS)].map(({ status }) => status);
const rest = (state: 'suspended' | 'active') => presenter.rest(THREAD, state);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the status', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('is that of the thread’s session: it works, waits for people, and has answered', async () => {
    status('thinking…');
    await pass(1_000);
    expect(api.of(SESSIONS)).toEqual([
      { channel_id: 'C1', thread_ts: '1.0', status: 'processing', title: 'hello' },
    ]);
    rest('suspended');
    await pass(1_000);
    status('thinking…');
    await pass(3_000);
    rest('active');
    await pass(1_000);
    expect(statuses()).toEqual(['processing', 'suspended', 'processing', 'active']);
    expect(api.of(WORDS)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['work that ends within a moment', 'suspended', 500, ['suspended']],
    ['a pause that ends within a moment', 'active', 1_500, ['processing', 'active']],
  ] as const)('has nothing of %s', async (_what, state, ms, expected) => {
    status('thinking…');
    await pass(ms);
    rest('suspended');
    await pass(200);
    rest(state);
    await pass(5_000);
    expect(statuses()).toEqual(expected);
  });

  it('has nothing of short work after people decided: their click changed the card', async () => {
    rest('suspended');
    await pass(1_000);
    status('thinking…');
    await pass(2_000);
    rest('active');
    await pass(1_000);
    expect(statuses()).toEqual(['suspended', 'active']);
  });

  it('ends with the last call that runs, and says whether people are waited for', async () => {
    see({ type: 'idle', waitsForPeople: true });
    await pass(5_000);
    expect(statuses()).toEqual([]);
    status('Create event…');
    await pass(1_000);
    status('');
    see({ type: 'idle', waitsForPeople: true });
    await pass(1_000);
    status('Create event…');
    await pass(3_000);
    see({ type: 'idle', waitsForPeople: false });
    await pass(1_000);
    expect(statuses()).toEqual(['processing', 'suspended', 'processing', 'active']);
  });

  it('is one call at a time, with the newest last', async () => {
    const gate = Promise.withResolvers<JsonObject>();
    api.answers.set(SESSIONS, () => gate.promise);
    status('one');
    await pass(1_000);
    rest('suspended');
    await pass(1_000);
    rest('active');
    await pass(1_000);
    expect(statuses()).toEqual(['processing']);
    gate.resolve({ ok: true });
    await pass(1_000);
    expect(statuses()).toEqual(['processing', 'active']);
  });

  it('is not ended by a message', async () => {
    status('thinking…');
    await pass(1_000);
    presenter.posted(THREAD, { isLast: false });
    rest('active');
    await pass(1_000);
    expect(statuses()).toEqual(['processing', 'active']);
  });

  it('of long work is repeated before Slack ends it', async () => {
    status('thinking…');
    await pass(1_000);
    await pass(1_200_000);
    expect(statuses()).toEqual(['processing', 'processing']);
  });

  it('leaves what is left of the rate limit to those that end work', async () => {
    status('thinking…');
    await pass(1_000);
    room = 0.1;
    rest('active');
    await pass(1_000);
    expect(statuses()).toEqual(['processing', 'active']);
    status('thinking…');
    await pass(3_000);
    rest('suspended');
    await pass(3_000);
    expect(statuses()).toEqual(['processing', 'active']);
    room = 1;
    await pass(1_000);
    expect(statuses()).toEqual(['processing', 'active', 'suspended']);
  });

  it('is given up after a minute without room', async () => {
    room = 0;
    rest('active');
    await pass(120_000);
    expect(statuses()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that Slack limits is sent when it may be', async () => {
    api.answers.set(SESSIONS, () => ({ ok: false, error: 'ratelimited' }));
    status('thinking…');
    await pass(1_000);
    api.answers.delete(SESSIONS);
    await pass(2_000);
    expect(statuses()).toEqual(['processing', 'processing']);
  });

  it('that Slack refuses is left out', async () => {
    api.answers.set(SESSIONS, () => ({ ok: false, error: 'channel_not_found' }));
    status('one');
    await pass(10_000);
    expect(statuses()).toEqual(['processing']);
    rest('active');
    await pass(1_000);
    expect(statuses()).toEqual(['processing', 'active']);
  });

  it('is nothing outside Slack', () => {
    const elsewhere = { ...thread, threadId: 'http:k:t', surface: HTTP };
    see({ type: 'status', text: 'x' }, elsewhere);
    presenter.rest(elsewhere.threadId, 'active');
    expect(api.calls).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the status where the workspace has no sessions', () => {
  const words = () => api.of(WORDS).map((args) => args.status);
  beforeEach(() => {
    vi.useFakeTimers();
    api.answers.set(SESSIONS, () => ({ ok: false, error: 'unknown_method' }));
  });

  it('says what the agent does, is cleared, and asks for sessions once an hour', async () => {
    status('thinking…');
    status('thinking…');
    await pass(1_000);
    expect(api.of(WORDS)[0]).toMatchObject({ channel_id: 'C1', thread_ts: '1.0' });
    rest('suspended');
    await pass(1_000);
    expect(words()).toEqual(['thinking…', '']);
    status('reading…');
    await pass(3_000);
    rest('active');
    await pass(1_000);
    expect(api.of(SESSIONS)).toHaveLength(1);
    await pass(3_600_000);
    api.answers.delete(SESSIONS);
    status('thinking…');
    await pass(1_000);
    expect(api.of(SESSIONS)).toHaveLength(2);
    expect(words()).toEqual(['thinking…', '', 'reading…', '']);
  });

  it('isn’t cleared where a message has ended it, and is said again where work goes on', async () => {
    status('thinking…');
    await pass(1_000);
    rest('suspended');
    presenter.posted(THREAD, { isLast: false });
    await pass(1_000);
    expect(words()).toEqual(['thinking…']);
    status('reading…');
    await pass(3_000);
    presenter.posted(THREAD, { isLast: false });
    await pass(1_000);
    expect(words()).toEqual(['thinking…', 'reading…', 'reading…']);
    rest('active');
    presenter.posted(THREAD, { isLast: false });
    await pass(120_000);
    expect(words()).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is cleared where it may have been set after the message', async () => {
    const gate = Promise.withResolvers<JsonObject>();
    status('thinking…');
    await pass(1_000);
    api.answers.set(WORDS, () => gate.promise);
    status('reading…');
    await pass(2_000);
    rest('active');
    presenter.posted(THREAD, { isLast: false });
    gate.resolve({ ok: true });
    await pass(2_000);
    expect(words()).toEqual(['thinking…', 'reading…', '']);
  });

  it('is said again before Slack forgets it, until it is cleared', async () => {
    status('thinking…');
    await pass(1_000);
    await pass(90_000);
    expect(words()).toEqual(['thinking…', 'thinking…']);
    rest('active');
    await pass(1_000);
    expect(words()).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [{ progress: 1, total: 4, message: 'Reading' }, 'Reading (1 of 4)…'],
    [{ progress: 50, total: 200, message: 'Reading' }, 'Reading (25 %)…'],
    [{ progress: 0.5, total: 1, message: 'Read\u202eing' }, 'Reading (50 %)…'],
    [{ progress: 1, total: null, message: null }, 'working…'],
    [{ progress: 1, total: 0, message: 'Reading' }, 'Reading…'],
    [{ progress: 1, total: null, message: `two\nlines ${'x'.repeat(200)}` }, `two lines ${'x'.repeat(69)}…`],
    [
      { progress: 1, total: null, message: '\u2705 Approved by Ben (U2) · done:\n_all_' },
      'Approved by Ben U2 done all…',
    ],
  ])(
    'tells of a call’s progress %o, without the signs that our own lines use',
    async (progress, expected) => {
      see({ type: 'tool_progress', callId: 'c1', progress });
      await pass(1_000);
      expect(words()).toEqual([expected]);
    },
  );

  it.each(['Listing\n\u2705 Approved by Ben (U2)…', '\u2705\u202e…'])(
    'has none of the signs that our own lines use, whatever a tool is titled: %j',
    async (text) => {
      const title = text.slice(0, -1);
      see({ type: 'status', text });
      await pass(1_000);
      see({
        type: 'tool_progress',
        callId: 'c1',
        title,
        progress: { progress: 1, total: null, message: null },
      });
      await pass(2_000);
      expect(words()).not.toEqual([]);
      for (const shown of words()) expect(shown).toMatch(/^[\w ]+…$/);
    },
  );

  it('tells of progress now and then, by the tool’s title, and of what came last', async () => {
    const step = (progress: number) =>
      see({
        type: 'tool_progress',
        callId: 'c1',
        title: 'Brew',
        progress: { progress, total: 9, message: null },
      });
    for (const progress of [1, 2, 3]) step(progress);
    await pass(1_000);
    step(4);
    step(5);
    await pass(1_000);
    expect(words()).toEqual(['Brew (3 of 9)…']);
    step(6);
    await pass(1_000);
    expect(words()).toEqual(['Brew (3 of 9)…', 'Brew (6 of 9)…']);
  });
});
