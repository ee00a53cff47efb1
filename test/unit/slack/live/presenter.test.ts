import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { MailboxItem, ThreadRecord } from '../../../../src/runs/collections.ts';
import type { LiveEvent } from '../../../../src/runs/ports.ts';
import { createPresenter } from '../../../../src/slack/live/presenter.ts';
import { HTTP, SLACK } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';
import { quiet } from '../../../helpers/workspace.ts';

const thread: ThreadRecord = { threadId: THREAD, surface: SLACK, graph: 'assistant', createdAt: 0 };
const item: MailboxItem = {
  itemId: 'i1',
  threadId: THREAD,
  actor: ana,
  text: 'hello',
  at: 0,
  receivedAt: 0,
  state: 'running',
  runId: 'r1',
  stoppedBy: null,
  response: null,
};

let api: ReturnType<typeof createFakeApi>;
let presenter: ReturnType<typeof createPresenter>;
/** The person whom the answers are for is of another organisation. */
const teamOf = async () => 'T0ELSEWHERE';
let isClear: Mock<(channel: string) => Promise<boolean>>;
beforeEach(() => {
  api = createFakeApi();
  api.answers.set('chat.startStream', () => ({ ok: true, ts: `${api.of('chat.startStream').length}.5` }));
  isClear = vi.fn(async () => true);
  presenter = createPresenter({ client: api.client, log: quiet, teamOf, isClear });
});
afterEach(() => {
  presenter.stop();
  vi.useRealTimers();
});

const see = (event: LiveEvent, on = thread) => presenter.observe(on, item, event);
const status = (text: string) => see({ type: 'status', text });
const tokens = (text: string, size = 7) => {
  for (let at = 0; at < text.length; at += size) see({ type: 'token', text: text.slice(at, at + size) });
};
/** Feeds the text, and waits until Slack has nearly all of it. */
const streamed = async (text: string) => {
  const before = pieces().join('').length;
  tokens(text);
  await vi.waitFor(() => expect(pieces().join('').length - before).toBeGreaterThan(text.length - 300));
};
const statuses = () => api.of('assistant.threads.setStatus').map((args) => args.status);
const pieces = () =>
  api.calls
    .filter(({ method }) => method === 'chat.startStream' || method === 'chat.appendStream')
    .map(({ args }) => String(args.markdown_text));
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

describe('the status', () => {
  it('is set in the thread, and cleared when the agent rests', async () => {
    status('thinking…');
    await vi.waitFor(() => expect(statuses()).toEqual(['thinking…']));
    expect(api.of('assistant.threads.setStatus')[0]).toMatchObject({ channel_id: 'C1', thread_ts: '1.0' });
    presenter.rest(thread);
    await vi.waitFor(() => expect(statuses()).toEqual(['thinking…', '']));
  });

  it('is not said again while it stays the same', async () => {
    status('thinking…');
    status('thinking…');
    await vi.waitFor(() => expect(statuses()).toEqual(['thinking…']));
    status('thinking…');
    presenter.rest(thread);
    await vi.waitFor(() => expect(statuses().at(-1)).toBe(''));
    expect(statuses()).toEqual(['thinking…', '']);
  });

  it('is one call at a time, with the newest word last', async () => {
    const gate = Promise.withResolvers<JsonObject>();
    api.answers.set('assistant.threads.setStatus', () => gate.promise);
    status('one');
    await vi.waitFor(() => expect(statuses()).toEqual(['one']));
    status('two');
    status('three');
    presenter.rest(thread);
    status('four');
    gate.resolve({ ok: true });
    await vi.waitFor(() => expect(statuses()).toEqual(['one', 'four']));
  });

  it('is said again before Slack forgets it, until it is cleared', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    status('thinking…');
    await vi.waitFor(() => expect(statuses()).toHaveLength(1));
    vi.advanceTimersByTime(90_000);
    await vi.waitFor(() => expect(statuses()).toEqual(['thinking…', 'thinking…']));
    presenter.rest(thread);
    await vi.waitFor(() => expect(statuses()).toHaveLength(3));
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
    vi.advanceTimersByTime(300_000);
    expect(statuses()).toHaveLength(3);
  });

  it.each([
    [{ progress: 1, total: 4, message: 'Reading' }, 'Reading (1 of 4)…'],
    [{ progress: 50, total: 200, message: 'Reading' }, 'Reading (25 %)…'],
    [{ progress: 0.5, total: 1, message: 'Read\u202eing' }, 'Read⟨U+202E⟩ing (50 %)…'],
    [{ progress: 1, total: null, message: null }, 'working…'],
    [{ progress: 1, total: 0, message: 'Reading' }, 'Reading…'],
    [{ progress: 1, total: null, message: `two\nlines ${'x'.repeat(200)}` }, `two lines ${'x'.repeat(89)}……`],
  ])('tells of a call’s progress %o', async (progress, expected) => {
    see({ type: 'tool_progress', callId: 'c1', progress });
    await vi.waitFor(() => expect(statuses()).toEqual([expected]));
  });

  it('tells of progress now and then, by the tool’s title, and of what came last', async () => {
    vi.useFakeTimers();
    const step = (progress: number) =>
      see({
        type: 'tool_progress',
        callId: 'c1',
        title: 'Brew',
        progress: { progress, total: 9, message: null },
      });
    for (const progress of [1, 2, 3, 4]) step(progress);
    await vi.advanceTimersByTimeAsync(0);
    expect(statuses()).toEqual(['Brew (1 of 9)…']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(statuses()).toEqual(['Brew (1 of 9)…', 'Brew (4 of 9)…']);
    step(5);
    step(6);
    status('thinking…');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(statuses()).toEqual(['Brew (1 of 9)…', 'Brew (4 of 9)…', 'thinking…']);
  });

  it('waits with progress as long as Slack asks it to', async () => {
    vi.useFakeTimers();
    api.answers.set('assistant.threads.setStatus', () => ({ ok: false, error: 'ratelimited' }));
    const step = (progress: number) =>
      see({ type: 'tool_progress', callId: 'c1', progress: { progress, total: 9, message: null } });
    step(1);
    await vi.advanceTimersByTimeAsync(0);
    api.answers.delete('assistant.threads.setStatus');
    step(2);
    await vi.advanceTimersByTimeAsync(1_900);
    expect(statuses()).toEqual(['working (1 of 9)…']);
    await vi.advanceTimersByTimeAsync(200);
    expect(statuses()).toEqual(['working (1 of 9)…', 'working (2 of 9)…']);
  });

  it('that Slack refuses is left out', async () => {
    api.answers.set('assistant.threads.setStatus', () => ({ ok: false, error: 'missing_scope' }));
    status('one');
    await vi.waitFor(() => expect(statuses()).toEqual(['one']));
    status('two');
    await vi.waitFor(() => expect(statuses()).toEqual(['one', 'two']));
  });

  it('is nothing outside Slack', () => {
    vi.useFakeTimers();
    const elsewhere = { ...thread, threadId: 'http:k:t', surface: HTTP };
    see({ type: 'status', text: 'x' }, elsewhere);
    presenter.rest(elsewhere);
    expect(api.calls).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('an answer', () => {
  it('that is short is not streamed', async () => {
    tokens('It is done.');
    expect(await presenter.finish('i1')).toBeNull();
    expect(api.calls).toEqual([]);
  });

  it('that is long is streamed in whole words, and ended', async () => {
    const text = words(200);
    await streamed(text);
    expect(await presenter.finish('i1')).toBe('1.5');
    expect(api.of('chat.startStream')).toHaveLength(1);
    expect(api.of('chat.startStream')[0]).toMatchObject({
      channel: 'C1',
      thread_ts: '1.0',
      recipient_team_id: 'T0ELSEWHERE',
      recipient_user_id: 'U1',
    });
    expect(pieces().length).toBeGreaterThan(2);
    expect(text.startsWith(pieces().join(''))).toBe(true);
    for (const piece of pieces()) expect(piece).toMatch(/ $/);
    expect(api.of('chat.stopStream')).toEqual([{ channel: 'C1', ts: '1.5' }]);
    expect(api.trace.at(-1)).toBe('chat.stopStream');
  });

  it('is finished once', async () => {
    await streamed(words(100));
    expect(await presenter.finish('i1')).toBe('1.5');
    expect(await presenter.finish('i1')).toBeNull();
  });

  it.each(['<!channel>', '<!subteam^S1|the whole team>', '<@U2>', '<!here>', '<!date^1^{date} at {time}|x>'])(
    'never gets %s through, wherever the tokens and pieces split it',
    async (reference) => {
      for (let before = 180; before < 280; before += 7) {
        const one = createFakeApi();
        one.answers.set('chat.startStream', () => ({ ok: true, ts: '1.5' }));
        const shown = createPresenter({ client: one.client, log: quiet, teamOf, isClear });
        const text = `${words(60).slice(0, before)} ${reference} ${words(120)}`;
        for (const piece of text.match(/.{1,3}/gs) ?? []) {
          shown.observe(thread, item, { type: 'token', text: piece });
        }
        shown.observe(thread, item, { type: 'interim' });
        await vi.waitFor(() => expect(one.of('chat.stopStream')).toHaveLength(1), { interval: 1 });
        const sent = one.calls.map(({ args }) => String(args.markdown_text));
        expect(sent.length).toBeGreaterThan(2);
        expect(sent.join('')).not.toContain(reference);
        expect(sent.join('')).not.toMatch(/<[!@][a-zA-Z]/);
      }
    },
  );

  it('that Slack does not stream is posted whole', async () => {
    api.answers.set('chat.startStream', () => ({ ok: false, error: 'unknown_method' }));
    tokens(words(200));
    await vi.waitFor(() => expect(api.trace).toEqual(['chat.startStream']));
    expect(await presenter.finish('i1')).toBeNull();
    expect(api.trace).toEqual(['chat.startStream']);
  });

  it('whose stream Slack has ended by itself is still found by its ts', async () => {
    const over = () => ({ ok: false, error: 'message_not_in_streaming_state' });
    api.answers.set('chat.appendStream', over);
    api.answers.set('chat.stopStream', over);
    tokens(words(300));
    await vi.waitFor(() => expect(api.of('chat.appendStream')).toHaveLength(1));
    expect(await presenter.finish('i1')).toBe('1.5');
    expect(api.of('chat.appendStream')).toHaveLength(1);
  });

  it('whose stream cannot be ended now is ended at the next attempt', async () => {
    api.answers.set('chat.stopStream', () => ({ ok: false, error: 'internal_error' }));
    await streamed(words(100));
    await expect(presenter.finish('i1')).rejects.toThrow('internal_error');
    api.answers.delete('chat.stopStream');
    expect(await presenter.finish('i1')).toBe('1.5');
  });

  it('does not begin before what was there first is shown, and then with all of it', async () => {
    isClear.mockResolvedValue(false);
    tokens(words(100));
    await vi.waitFor(() => expect(isClear).toHaveBeenCalledWith('C1'));
    expect(pieces()).toEqual([]);
    isClear.mockResolvedValue(true);
    tokens(` ${words(100)}`);
    await vi.waitFor(() => expect(pieces().join('')).toContain('word99 word0 word1'));
    expect(pieces()[0]?.startsWith('word0 word1')).toBe(true);
  });

  it('is posted whole when something waited before it to the end', async () => {
    isClear.mockResolvedValue(false);
    tokens(words(100));
    await expect(presenter.finish('i1')).resolves.toBeNull();
    expect(pieces()).toEqual([]);
  });

  it('begins a message of its own after what was said before calls, which stays whole', async () => {
    const preamble = `${words(100)} and so.`;
    tokens(preamble);
    see({ type: 'interim' });
    await vi.waitFor(() => expect(api.of('chat.stopStream')).toHaveLength(1));
    const [last] = api.of('chat.stopStream');
    expect(`${pieces().join('')}${String(last?.markdown_text)}`).toBe(preamble);
    await streamed(words(100));
    expect(await presenter.finish('i1')).toBe('2.5');
    expect(api.of('chat.stopStream').map(({ ts }) => ts)).toEqual(['1.5', '2.5']);
  });

  it('that is ready before it was streamed is not streamed any further', async () => {
    const gate = Promise.withResolvers<JsonObject>();
    api.answers.set('chat.startStream', () => gate.promise);
    tokens(words(300));
    await vi.waitFor(() => expect(api.of('chat.startStream')).toHaveLength(1));
    const finished = presenter.finish('i1');
    gate.resolve({ ok: true, ts: '1.5' });
    expect(await finished).toBe('1.5');
    expect(api.of('chat.appendStream')).toEqual([]);
  });

  it('has nothing of a short word before calls in it', async () => {
    tokens('I will look. ');
    see({ type: 'interim' });
    await streamed(words(100));
    expect(pieces().join('')).not.toContain('I will look');
  });

  it('never lets what fails in Slack reach the run', async () => {
    for (const method of ['chat.startStream', 'chat.stopStream', 'assistant.threads.setStatus']) {
      api.answers.set(method, () => Promise.reject(new Error('broken')));
    }
    expect(() => {
      status('thinking…');
      tokens(words(200));
      see({ type: 'interim' });
      presenter.rest(thread);
    }).not.toThrow();
    await vi.waitFor(() => expect(statuses()).toContain(''));
  });

  it('of nobody’s message is not streamed', () => {
    presenter.observe(thread, null, { type: 'token', text: words(200) });
    presenter.observe(thread, null, { type: 'interim' });
    expect(api.calls).toEqual([]);
  });
});
