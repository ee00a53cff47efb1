import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveEvent } from '../../../../src/runs/ports.ts';
import { createPresenter } from '../../../../src/slack/live/presenter.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';
import { quiet } from '../../../helpers/workspace.ts';
import { item, thread } from './fixtures.ts';

let api: ReturnType<typeof createFakeApi>;
let presenter: ReturnType<typeof createPresenter>;
beforeEach(() => {
  api = createFakeApi();
  api.answers.set('chat.startStream', () => ({ ok: true, ts: `${api.of('chat.startStream').length}.5` }));
  const ports = { teamOf: async () => 'T1', room: () => 1, isClear: async () => true };
  presenter = createPresenter({ client: api.client, log: quiet, ...ports });
});
afterEach(() => {
  presenter.stop();
  vi.useRealTimers();
});

const see = (event: LiveEvent) => presenter.observe(thread, item, event);
const tokens = (text: string) => see({ type: 'token', text });

describe('an answer that is streamed', () => {
  it('that has begun is moved below a form that is posted meanwhile, and ends there', async () => {
    vi.useFakeTimers();
    tokens('Nothing is on today. ');
    await vi.advanceTimersByTimeAsync(200);
    presenter.posted(thread.threadId, { isLast: false });
    tokens('Tomorrow is ');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(api.of('chat.delete')).toEqual([{ channel: 'C1', ts: '1.5' }]);
    expect(api.of('chat.startStream').map(({ markdown_text }) => markdown_text)).toEqual([
      'Nothing is on today. ',
      'Nothing is on today. Tomorrow is ',
    ]);
    expect(await presenter.finish('i1')).toBe('2.5');
  });

  it('whose few words came before calls is taken back when one of those wants a form, and goes on below it', async () => {
    vi.useFakeTimers();
    tokens('I will look. ');
    await vi.advanceTimersByTimeAsync(200);
    see({ type: 'interim' });
    presenter.posted(thread.threadId, { isLast: false });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(api.trace).toEqual(['chat.startStream', 'chat.stopStream', 'chat.delete']);
    tokens('Nothing is on. ');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(api.of('chat.startStream').at(-1)).toMatchObject({ markdown_text: 'Nothing is on. ' });
  });

  it('stays where it is when what was posted stays below it, is in another thread, or came before it began', async () => {
    vi.useFakeTimers();
    tokens('Nothing is on today. ');
    presenter.posted(thread.threadId, { isLast: false });
    await vi.advanceTimersByTimeAsync(200);
    presenter.posted(thread.threadId, { isLast: true });
    presenter.posted('slack:T1:C1:9.9', { isLast: false });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(api.trace).toEqual(['chat.startStream']);
  });

  it('is moved with a message in its place that belongs to what is done beside it', async () => {
    vi.useFakeTimers();
    tokens('Nothing is on today. ');
    await vi.advanceTimersByTimeAsync(200);
    presenter.posted(`${thread.threadId}~x`, { isLast: false });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(api.of('chat.delete')).toHaveLength(1);
  });
});
