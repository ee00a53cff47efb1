import { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { createFetchFile } from '../../../../src/slack/documents/fetch-file.ts';

it('a file that has more bytes than may be isn’t downloaded', async () => {
  const downloaded: string[] = [];
  const info = {
    id: 'F1',
    name: 'a.txt',
    mode: 'hosted',
    size: 10,
    url_private: 'https://files.slack.com/a',
  };
  const client = new WebClient();
  Object.assign(client.files, { info: async () => ({ ok: true, file: info }) });
  const { fetch: fetchFile } = createFetchFile({
    client,
    async download({ url }) {
      downloaded.push(url);
      return { ok: true, content: Buffer.from('0123456789') };
    },
    missingScopes: () => [],
  });
  const { signal } = new AbortController();
  expect(await fetchFile('F1', 9, signal)).toEqual({ ok: false, problem: 'no_room' });
  expect(downloaded).toEqual([]);
  expect(await fetchFile('F1', 10, signal)).toMatchObject({ ok: true, name: 'a.txt' });
});
