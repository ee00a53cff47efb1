import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { LiveEvent } from '../../../../src/runs/ports.ts';
import { LimitedClient } from '../../../../src/slack/client/limited-client.ts';
import { createPresenter } from '../../../../src/slack/live/presenter.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';
import { quiet } from '../../../helpers/workspace.ts';
import { item, thread } from './fixtures.ts';

let api: ReturnType<typeof createFakeApi>;
let presenter: ReturnType<typeof createPresenter>;
/** The person whom the answers are for is of another organisation. */
const teamOf = async () => 'T0ELSEWHERE';
let room: Mock<(method: string) => number>;
let isClear: Mock<(channel: string) => Promise<boolean>>;
beforeEach(() => {
  api = createFakeApi();
  api.answers.set('chat.startStream', () => ({ ok: true, ts: `${api.of('chat.startStream').length}.5` }));
  isClear = vi.fn(async () => true);
  room = vi.fn(() => 1);
  presenter = createPresenter({ client: api.client, log: quiet, teamOf, room, isClear });
});
afterEach(() => {
  presenter.stop();
  vi.useRealTimers();
});

const see = (event: LiveEvent, on = thread) => presenter.observe(on, item, event);
const tokens = (text: string, size = 7) => {
  for (let at = 0; at < text.length; at += size) see({ type: 'token', text: text.slice(at, at + size) });
};
/** Feeds the text, and waits until Slack has nearly all of it. */
const streamed = async (text: string) => {
  const before = pieces().join('').length;
  tokens(text);
  await vi.waitFor(() => expect(pieces().join('').length - before).toBeGreaterThan(text.length - 300));
};
/** Feeds the text in parts, a second apart, as a model writes it. */
const streamedSlowly = async (text: string, size: number) => {
  for (let at = 0; at < text.length; at += size) {
    tokens(text.slice(at, at + size));
    await vi.advanceTimersByTimeAsync(1_000);
  }
};
const pieces = () =>
  api.calls
    .filter(({ method }) => method === 'chat.startStream' || method === 'chat.appendStream')
    .map(({ args }) => String(args.markdown_text));
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

describe('an answer', () => {
  it('that is short is not streamed', async () => {
    tokens('It is done.');
    expect(await presenter.finish('i1')).toBeNull();
    expect(api.calls).toEqual([]);
  });

  it('that is long is streamed in whole words, and ended', async () => {
    vi.useFakeTimers();
    const text = words(200);
    await streamedSlowly(text, 400);
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

  it('begins within 300 ms of the first words, and goes on once a second while the model writes', async () => {
    vi.useFakeTimers();
    const began = Date.now();
    const times: number[] = [];
    for (const method of ['chat.startStream', 'chat.appendStream']) {
      api.answers.set(method, () => {
        times.push(Date.now() - began);
        return { ok: true, ts: '1.5' };
      });
    }
    for (let at = 0; at < 200; at += 1) {
      tokens(`word${at} `);
      await vi.advanceTimersByTimeAsync(50);
    }
    const [first = Infinity, ...later] = times;
    expect(first).toBeLessThanOrEqual(300);
    const pauses = later.map((time, index) => time - (times[index] ?? 0));
    expect(pauses).toHaveLength(9);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1_200);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
  });

  it('is not begun for words that are ready within 200 ms', async () => {
    vi.useFakeTimers();
    tokens('It is done. All of it.');
    await vi.advanceTimersByTimeAsync(190);
    expect(await presenter.finish('i1')).toBeNull();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(api.calls).toEqual([]);
  });

  it('makes at most one append a second where there is little room, of longer and longer pieces', async () => {
    vi.useFakeTimers();
    room.mockReturnValue(0.5);
    const text = words(1_300);
    for (let at = 0; at < text.length; at += 60) {
      tokens(text.slice(at, at + 60));
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    const [first, ...later] = pieces().map(({ length }) => length);
    expect(first).toBeLessThan(320);
    expect(later.at(-1)).toBeGreaterThan(1_500);
    // At a piece each 250 characters, it would be 45 appends.
    expect(api.of('chat.appendStream').length).toBeLessThan(16);
    expect(pieces().join('').length).toBeGreaterThan(text.length * 0.75);
  });

  it('that is longer than a message gets no append that Slack would refuse for its length', async () => {
    vi.useFakeTimers();
    tokens(words(700));
    await vi.advanceTimersByTimeAsync(2_000);
    tokens(` ${words(700)} `);
    await vi.advanceTimersByTimeAsync(2_000);
    tokens(words(700));
    await vi.advanceTimersByTimeAsync(10_000);
    const { length } = pieces().join('');
    expect([length > 5_000, length <= 12_000]).toEqual([true, true]);
  });

  it('that a fast model writes makes one append a second', async () => {
    vi.useFakeTimers();
    for (let at = 0; at < 100; at += 1) {
      tokens(`${words(40)} `, 300);
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(api.of('chat.appendStream').length).toBeLessThanOrEqual(2);
  });

  it('without blanks is not looked at anew with each of its words', () => {
    const search = vi.spyOn(String.prototype, 'search');
    tokens('字'.repeat(70_000));
    tokens(`${'字'.repeat(70)} `.repeat(1_000));
    expect(search.mock.calls.length).toBeLessThan(10);
    search.mockRestore();
  });

  it('goes on with a piece that the rate limit held back', async () => {
    vi.useFakeTimers();
    const held = {
      take: (method: string) => (method === 'chat.appendStream' && isHeld ? 5_000 : 0),
      rest() {},
    };
    let isHeld = true;
    const client = new LimitedClient('xoxb-test', api.ownOptions, held);
    presenter = createPresenter({ client, log: quiet, teamOf, room: () => 1, isClear });
    await streamedSlowly(words(200), 400);
    expect(api.of('chat.appendStream')).toEqual([]);
    isHeld = false;
    await vi.advanceTimersByTimeAsync(6_000);
    expect(words(200).startsWith(pieces().join(''))).toBe(true);
    expect(pieces().join('').length).toBeGreaterThan(1_000);
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
        const shown = createPresenter({ client: one.client, log: quiet, teamOf, room: () => 1, isClear });
        const text = `${words(60).slice(0, before)} ${reference} ${words(120)}`;
        for (const piece of text.match(/.{1,3}/gs) ?? []) {
          shown.observe(thread, item, { type: 'token', text: piece });
        }
        shown.observe(thread, item, { type: 'interim' });
        await vi.waitFor(() => expect(one.of('chat.stopStream')).toHaveLength(1), { interval: 1 });
        const sent = one.calls.map(({ args }) => String(args.markdown_text));
        expect(sent.length).toBeGreaterThan(1);
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
    vi.useFakeTimers();
    await streamedSlowly(words(300), 500);
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
    await vi.waitFor(() => expect(pieces().join('')).toContain('word99 word0 word1'), { timeout: 2_000 });
    expect(pieces()[0]?.startsWith('word0 word1')).toBe(true);
  });

  it('is posted whole when something waited before it to the end', async () => {
    isClear.mockResolvedValue(false);
    tokens(words(100));
    await expect(presenter.finish('i1')).resolves.toBeNull();
    expect(pieces()).toEqual([]);
  });

  it('begins a message of its own after what was said before calls, which stays as a marked line', async () => {
    const preamble = `${words(100)} and so.`;
    tokens(preamble);
    see({ type: 'interim' });
    await vi.waitFor(() => expect(api.of('chat.stopStream')).toHaveLength(1));
    const [last] = api.of('chat.stopStream');
    expect(`${pieces().join('')}${String(last?.markdown_text)}`).toBe(preamble);
    await vi.waitFor(() => expect(api.of('chat.update')).toHaveLength(1));
    const [marked] = api.of('chat.update');
    expect(marked).toMatchObject({ channel: 'C1', ts: '1.5' });
    expect(marked?.text).toMatch(/^The agent says: “/);
    expect(String(marked?.text).length).toBeLessThan(preamble.length);
    await streamed(words(100));
    expect(await presenter.finish('i1')).toBe('2.5');
    expect(api.of('chat.stopStream').map(({ ts }) => ts)).toEqual(['1.5', '2.5']);
  });

  it('goes on in the message that few words before calls are in', async () => {
    vi.useFakeTimers();
    tokens('I will look. ');
    await vi.advanceTimersByTimeAsync(200);
    see({ type: 'interim' });
    await vi.advanceTimersByTimeAsync(3_000);
    tokens('Nothing is on today.');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(pieces()).toEqual(['I will look. ', '\n\nNothing is on ']);
    expect(await presenter.finish('i1')).toBe('1.5');
    expect(api.of('chat.startStream')).toHaveLength(1);
  });

  it('takes few words before calls out of the thread when their card comes', async () => {
    vi.useFakeTimers();
    tokens('I will ask for that. ');
    await vi.advanceTimersByTimeAsync(200);
    see({ type: 'interim' });
    presenter.takeBack(thread.threadId);
    await vi.advanceTimersByTimeAsync(0);
    expect(api.of('chat.delete')).toEqual([{ channel: 'C1', ts: '1.5' }]);
    expect(api.trace).toEqual(['chat.startStream', 'chat.stopStream', 'chat.delete']);
    expect(await presenter.finish('i1')).toBeNull();
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
    for (const method of ['chat.startStream', 'chat.stopStream', 'agents.sessions.setStatus']) {
      api.answers.set(method, () => Promise.reject(new Error('broken')));
    }
    expect(() => {
      see({ type: 'status', text: 'thinking…' });
      tokens(words(200));
      see({ type: 'interim' });
      presenter.rest(thread.threadId, 'active');
    }).not.toThrow();
    await vi.waitFor(() => expect(api.of('agents.sessions.setStatus')).toHaveLength(1), { timeout: 2_000 });
  });

  it('of nobody’s message is not streamed', () => {
    presenter.observe(thread, null, { type: 'token', text: words(200) });
    presenter.observe(thread, null, { type: 'interim' });
    expect(api.calls).toEqual([]);
  });
});
