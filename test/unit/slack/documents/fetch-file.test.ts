import { ErrorCode, type FilesInfoResponse, WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { HeldBackError } from '../../../../src/slack/client/limited-client.ts';
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

const refused = (error: string) =>
  Object.assign(new Error(error), { code: ErrorCode.PlatformError, data: { error } });

it.each([
  ['a file', { ok: true, file: { id: 'F1', mode: 'hosted' } }, false],
  ['what is left of one', { ok: true, file: { id: 'F1', mode: 'tombstone' } }, true],
  ['one that the plan hides', { ok: true, file: { id: 'F1', mode: 'hidden_by_limit' } }, false],
  ['that it was deleted', refused('file_deleted'), true],
  ['that the app sees none', refused('file_not_found'), false],
  ['that a scope is missing', refused('missing_scope'), false],
  ['that the app is out', refused('account_inactive'), null],
  ['nothing in time', refused('request_timeout'), null],
  ['nothing, as it isn’t asked now', new HeldBackError(100), null],
] as const)('a file counts as deleted only where Slack says so: %s', async (_, answer, expected) => {
  const client = new WebClient();
  Object.assign(client.files, {
    info: async (): Promise<FilesInfoResponse> => (answer instanceof Error ? Promise.reject(answer) : answer),
  });
  const download = async () => ({ ok: true, content: Buffer.alloc(0) }) as const;
  const { isDeleted } = createFetchFile({ client, download, missingScopes: () => [] });
  expect(await isDeleted('F1')).toBe(expected);
});
