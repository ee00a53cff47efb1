import { describe, expect, it } from 'vitest';
import type { Content } from '../../../src/gate/types.ts';
import { filesOf } from '../../../src/slack/files.ts';
import { openOutbox } from '../../helpers/slack-outbox.ts';
import { callRecord } from './cards/fixtures.ts';

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
  const house = await openOutbox();
  house.answered.set('one', answeredWith(...content));
  const posted = () => house.driver.messages('general').flatMap((message) => message.files);
  return { ...house, posted };
}

describe('the files of an answer', () => {
  it('are its pictures, sounds and binary resources, by names that say what they are', () => {
    const kept = { name: 'k', size: 1 };
    const files = filesOf(
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

  it('are at most ten', () => {
    expect(filesOf(answeredWith(...Array.from({ length: 14 }, (_, i) => image(`k${i}`))))).toHaveLength(10);
  });

  it('are posted into the thread, once each', async () => {
    const { announce, wake, posted, driver, outbox, channels } = await open(image('abc'), image('def'));
    await announce('general', show);
    wake('general');
    await driver.waitUntil(() => posted().length === 2);
    await expect.poll(() => outbox.isClear(channels.general)).toBe(true);
    await announce('general', show);
    wake('general');
    await expect.poll(() => outbox.isClear(channels.general)).toBe(true);
    expect(posted()).toHaveLength(2);
  });

  it('are not posted again when the answer to the sharing got lost', async () => {
    const { announce, wake, posted, driver, outbox, channels } = await open(image('abc'));
    driver.fault({ method: 'files.completeUploadExternal', times: 1, kind: 'drop_response' });
    await announce('general', show);
    wake('general');
    await expect.poll(() => outbox.isClear(channels.general), { timeout: 10_000 }).toBe(true);
    expect(posted()).toHaveLength(1);
  });

  it('that were not shared after all are uploaded anew', async () => {
    const { announce, wake, posted, driver, outbox, channels } = await open(image('abc'));
    driver.fault({
      method: 'files.completeUploadExternal',
      times: 1,
      kind: 'error',
      error: 'internal_error',
    });
    await announce('general', show);
    wake('general');
    await expect.poll(() => outbox.isClear(channels.general), { timeout: 10_000 }).toBe(true);
    expect(posted()).toHaveLength(1);
  });

  it('do not hold up the channel where the app may not post any', async () => {
    const { announce, wake, posted, driver, outbox, channels, logged } = await open(image('abc'));
    driver.fault({
      method: 'files.getUploadURLExternal',
      times: 9,
      kind: 'error',
      error: 'missing_scope',
    });
    await announce('general', show);
    wake('general');
    await expect.poll(() => outbox.isClear(channels.general)).toBe(true);
    expect(posted()).toEqual([]);
    expect(logged).not.toEqual([]);
  });
});
