import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import type { LiveEvent } from '../../../../src/runs/ports.ts';
import { createPresenter } from '../../../../src/slack/live/presenter.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';
import { quiet } from '../../../helpers/workspace.ts';
import { item, thread } from './fixtures.ts';

let api: ReturnType<typeof createFakeApi>;
let presenter: ReturnType<typeof createPresenter>;
/** The person whom the answers are for is of another organisation. */
const teamOf = async () => 'T0ELSEWHERE';
let room: Mock<(method: string) => number>;
beforeEach(() => {
  api = createFakeApi();
  api.answers.set('chat.startStream', () => ({ ok: true, ts: `${api.of('chat.startStream').length}.5` }));
  room = vi.fn(() => 1);
  presenter = createPresenter({ client: api.client, log: quiet, teamOf, room, isClear: async () => true });
});
afterEach(() => {
  presenter.stop();
  vi.useRealTimers();
});

const see = (event: LiveEvent, on = thread) => presenter.observe(on, item, event);
const tokens = (text: string, size = 7) => {
  for (let at = 0; at < text.length; at += size) see({ type: 'token', text: text.slice(at, at + size) });
};

describe('a step', () => {
  const step = (state: 'running' | 'done' | 'failed', stepId = 'c1') =>
    see({ type: 'step', stepId, text: 'reading your calendar', state });
  const task = (status: string, id = 'c1') => ({
    type: 'task_update',
    id,
    title: 'reading your calendar',
    status,
  });
  const thinking = (status: string) => ({ ...task(status, 'thinking'), title: 'thinking' });
  const chunks = () => api.calls.flatMap(({ args }) => (args.chunks === undefined ? [] : [args.chunks]));
  beforeEach(() => void vi.useFakeTimers());

  it('that is quick is in no message', async () => {
    step('running');
    await vi.advanceTimersByTimeAsync(1_900);
    step('done');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(api.calls).toEqual([]);
  });

  it('that lasts is a task of the message, which shows its end', async () => {
    step('running');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(chunks()).toEqual([[task('in_progress')]]);
    step('failed');
    await vi.advanceTimersByTimeAsync(1_000);
    const toItsEnd = [[task('in_progress')], [task('error'), thinking('in_progress')]];
    expect(chunks()).toEqual(toItsEnd);
    tokens('That failed. ');
    await vi.advanceTimersByTimeAsync(1_000);
    const words = { type: 'markdown_text', text: 'That failed. ' };
    expect(chunks()).toEqual([...toItsEnd, [words, thinking('complete')]]);
    expect(await presenter.finish('i1')).toBe('1.5');
    expect(api.trace).toEqual([
      'chat.startStream',
      'chat.appendStream',
      'chat.appendStream',
      'chat.stopStream',
    ]);
  });

  it('that follows another ends the thinking between them, with no call of its own', async () => {
    step('running');
    await vi.advanceTimersByTimeAsync(2_000);
    step('done');
    await vi.advanceTimersByTimeAsync(5_000);
    step('running', 'c2');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(chunks().slice(1)).toEqual([
      [task('complete'), thinking('in_progress')],
      [task('in_progress', 'c2'), thinking('complete')],
    ]);
  });

  it('is shown at once below words that are there', async () => {
    tokens('I will look. ');
    await vi.advanceTimersByTimeAsync(1_500);
    see({ type: 'interim' });
    step('running');
    await vi.advanceTimersByTimeAsync(0);
    expect(chunks()).toEqual([[task('in_progress')]]);
  });

  it('keeps no words waiting', async () => {
    step('running');
    await vi.advanceTimersByTimeAsync(100);
    tokens('While that runs: ');
    await vi.advanceTimersByTimeAsync(200);
    expect(chunks()).toEqual([[{ type: 'markdown_text', text: 'While that runs: ' }, task('in_progress')]]);
  });

  const progress = (done: number, callId = 'c1') =>
    see({
      type: 'tool_progress',
      callId,
      title: 'Read calendar',
      progress: { progress: done, total: 9, message: null },
    });

  it('that reports its progress says it, once a second and until it ends', async () => {
    step('running');
    progress(1);
    await vi.advanceTimersByTimeAsync(2_000);
    for (const done of [2, 3, 4]) progress(done);
    await vi.advanceTimersByTimeAsync(1_000);
    step('done');
    progress(5);
    progress(1, 'c2');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(chunks()).toEqual([
      [{ ...task('in_progress'), title: 'Read calendar (1 of 9)…' }],
      [{ ...task('in_progress'), title: 'Read calendar (4 of 9)…' }],
      [task('complete'), thinking('in_progress')],
    ]);
  });

  it('leaves its progress out where Slack has room for little more', async () => {
    step('running');
    await vi.advanceTimersByTimeAsync(2_000);
    room.mockReturnValue(0.4);
    progress(2);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(chunks()).toEqual([[task('in_progress')]]);
  });

  it('has no signs of ours in its title', async () => {
    see({ type: 'step', stepId: 'c1', text: '✅ Approved by *Ana*', state: 'running' });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(chunks()).toEqual([[{ ...task('in_progress'), title: 'Approved by Ana' }]]);
  });
});
