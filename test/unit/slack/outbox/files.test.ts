import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Content } from '../../../../src/gate/call/outcome.ts';
import { listFiles } from '../../../../src/presentation/result.ts';
import { openOutbox } from '../../../helpers/slack-outbox.ts';
import { callRecord } from '../cards/fixtures.ts';

const image = (name: string): Content => ({
  type: 'image',
  data: '',
  mimeType: 'image/png',
  kept: { name, size: 3 },
});
const answeredWith = (...content: Content[]) => ({
  ...callRecord(),
  state: 'succeeded' as const,
  outcome: { status: 'succeeded' as const, content, structured: null },
});
const show = { kind: 'files', callKey: 'one' } as const;

async function open(...content: Content[]) {
  const scene = await openOutbox();
  scene.answered.set('one', answeredWith(...content));
  const posted = () => scene.driver.messages('general').flatMap((message) => message.files);
  const showAll = () => scene.deliver('general', show);
  return { ...scene, posted, showAll };
}

/** What each upload meets: an HTTP status, or no answer at all. */
function uploadsMeet(fate: (content: string) => Response | Error | null): string[] {
  const uploads: string[] = [];
  const real = globalThis.fetch;
  vi.stubGlobal('fetch', async (url: string | URL | Request, init?: RequestInit) => {
    if (!(init?.body instanceof Uint8Array)) return real(url, init);
    const content = Buffer.from(init.body).toString();
    uploads.push(content);
    const met = fate(content);
    if (met instanceof Error) throw met;
    return met ?? real(url, init);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return uploads;
}

/** What the first upload meets; the others arrive. */
function firstMeets(met: Response | Error): string[] {
  let isFirst = true;
  return uploadsMeet(() => {
    const fate = isFirst ? met : null;
    isFirst = false;
    return fate;
  });
}

const LEFT_OUT = 'files:one cannot be shown here';

describe('the files of an answer', () => {
  it('are its pictures, sounds and binary resources, by names that say what they are', () => {
    const kept = { name: 'k', size: 1 };
    const files = listFiles(
      answeredWith(
        { type: 'text', text: 'words', kept },
        { type: 'image', data: '', mimeType: 'image/jpeg', kept },
        { type: 'audio', data: '', mimeType: 'audio/strange', kept },
        { type: 'resource', uri: 'file:///a/plan.pdf?x=1', mimeType: 'application/pdf', kept },
        { type: 'resource', uri: 'mem://../../etc/passwd', mimeType: 'text/csv', kept },
        { type: 'resource', uri: 'mem://text', text: 'words' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ),
    );
    expect(files.map(({ name }) => name)).toEqual(['image.jpg', 'audio.bin', 'plan.pdf', 'resource.csv']);
  });

  it('are titled by the tool’s real name, beside a title that can’t pretend', () => {
    const call = answeredWith(image('k'));
    const tool = {
      ...call.tool,
      server: 'pics',
      name: 'draw',
      title: 'Draw\n\u2705 Approved by Ben (bank.pay)',
    };
    const files = listFiles({ ...call, tool });
    expect(files.map(({ title }) => title)).toEqual(['Draw Approved by Ben bank.pay (pics.draw): image']);
  });

  it('are at most ten', () => {
    expect(listFiles(answeredWith(...Array.from({ length: 14 }, (_, i) => image(`k${i}`))))).toHaveLength(10);
  });

  it('are posted into the thread, once each', async () => {
    const { post, posted, driver, outbox, channels } = await open(image('abc'), image('def'));
    await post('general', show);
    await driver.waitUntil(() => posted().length === 2);
    await expect.poll(() => outbox.isClear(channels.general)).toBe(true);
    await post('general', show);
    await expect.poll(() => outbox.isClear(channels.general)).toBe(true);
    expect(posted()).toHaveLength(2);
  });

  it('are not posted again when the answer to the sharing got lost', async () => {
    const { post, posted, driver, outbox, channels } = await open(image('abc'));
    driver.fault({ method: 'files.completeUploadExternal', times: 1, kind: 'drop_response' });
    await post('general', show);
    await expect.poll(() => outbox.isClear(channels.general), { timeout: 10_000 }).toBe(true);
    expect(posted()).toHaveLength(1);
  });

  it('that were not shared after all are uploaded anew', async () => {
    const { post, posted, driver, outbox, channels } = await open(image('abc'));
    driver.fault({
      method: 'files.completeUploadExternal',
      times: 1,
      kind: 'error',
      error: 'internal_error',
    });
    await post('general', show);
    await expect.poll(() => outbox.isClear(channels.general), { timeout: 10_000 }).toBe(true);
    expect(posted()).toHaveLength(1);
  });

  it.each<[string, Response | Error]>([
    ['an upload server that is out of order', new Response('busy', { status: 503 })],
    ['one that waited too long', new Response('slow', { status: 408 })],
    ['a network that fails', new TypeError('fetch failed')],
    ['a time-out', new DOMException('The operation was aborted due to timeout', 'TimeoutError')],
  ])('are all posted, once each, after %s', async (_what, met) => {
    const { posted, showAll, ...scene } = await open(image('abc'), image('def'), image('ghi'));
    const uploads = firstMeets(met);
    await showAll();
    expect(posted()).toHaveLength(3);
    expect(uploads.toSorted()).toEqual(['abc', 'abc', 'def', 'ghi']);
    expect(scene.shown('general')).not.toContain(LEFT_OUT);
  });

  it('wait as long as the upload server asks for', async () => {
    const { posted, showAll, logged } = await open(image('abc'), image('def'));
    const began = Date.now();
    firstMeets(new Response('later', { status: 429, headers: { 'retry-after': '3' } }));
    await showAll();
    expect(Date.now() - began).toBeGreaterThanOrEqual(2_900);
    expect(posted()).toHaveLength(2);
    expect(logged).toEqual(['ratelimited']);
  });

  it('are posted but for one that is refused for good, and the thread says so', async () => {
    const { posted, showAll, ...scene } = await open(image('abc'), image('def'), image('ghi'));
    const uploads = uploadsMeet((content) => (content === 'def' ? new Response('', { status: 413 }) : null));
    await showAll();
    expect(posted()).toHaveLength(2);
    expect(uploads).toEqual(['abc', 'def', 'ghi']);
    expect(scene.shown('general')).toContain(LEFT_OUT);
    expect(scene.logged).toEqual(['upload_http_413']);
  });

  it('are posted but for one that Slack stumbles over again and again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { posted, post, ...scene } = await open(image('abc'), image('def'));
    const uploads = uploadsMeet((content) => (content === 'abc' ? new Response('', { status: 500 }) : null));
    await post('general', show);
    await vi.waitFor(
      async () => {
        await vi.advanceTimersByTimeAsync(1_000);
        expect(scene.shown('general')).toContain(LEFT_OUT);
      },
      { timeout: 20_000 },
    );
    expect(posted()).toHaveLength(1);
    expect(uploads.filter((content) => content === 'abc')).toHaveLength(5);
    expect(uploads.filter((content) => content === 'def')).toHaveLength(1);
  });

  it('do not hold up the channel where the app may not post any', async () => {
    const { post, posted, driver, outbox, channels, logged } = await open(image('abc'));
    driver.fault({
      method: 'files.getUploadURLExternal',
      times: 9,
      kind: 'error',
      error: 'missing_scope',
    });
    await post('general', show);
    await expect.poll(() => outbox.isClear(channels.general)).toBe(true);
    expect(posted()).toEqual([]);
    expect(logged).not.toEqual([]);
  });
});
