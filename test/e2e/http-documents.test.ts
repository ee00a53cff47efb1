import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { documentAnswerSchema, documentListSchema } from '../../src/http/documents/schemas.ts';
import { randomSecret } from '../../src/lib/clock.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { expectDescribed } from '../helpers/described-answers.ts';
import { envelopeOf, post } from '../helpers/http-client.ts';
import { makePdf, makeZip, zeros } from '../helpers/made-documents.ts';

const SLOW = 120_000;
const KEY = 'a-key-of-whoever-gives-documents-16180';
const MB = 1024 * 1024;
const errorSchema = z.object({ error: z.object({ code: z.string() }) });

/** The app with documents, and two programs that give them: each has a key of its own. */
async function open() {
  const { app, model } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      policy: { rules: [{ tools: 'documents.*', action: 'allow' }] },
      mcpServers: { documents: { in_process: 'documents' } },
    },
  });
  const makeKey = (name: string, scope: 'documents' | 'run') =>
    app.inStore((store) =>
      createApiKeys({ store, clock: Date.now, secrets: randomSecret, environmentKey: null }).create(name, [
        scope,
      ]),
    );
  async function send(method: string, path: string, { key = KEY, ...more }: Sent = {}) {
    const headers = { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...more.headers };
    const response = await fetch(`${app.url}${path}`, { ...more, method, headers });
    await expectDescribed(method, response);
    const body: unknown = response.status === 204 ? null : await response.json();
    return { status: response.status, body };
  }
  const give = (
    content: string | Buffer,
    name: string,
    fields: Readonly<Record<string, string>> = {},
    key = KEY,
  ) => {
    const form = new FormData();
    form.set('file', new File([new Uint8Array(Buffer.from(content))], name));
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    return send('POST', '/documents', { key, body: form });
  };
  const list = async (query = '', key = KEY) =>
    documentListSchema.parse((await send('GET', `/documents${query}`, { key })).body);
  const idOf = (answer: { readonly body: unknown }) => documentAnswerSchema.parse(answer.body).id;
  /** What became of a document once it was read. */
  async function learned(id: string) {
    const read = async () => documentAnswerSchema.parse((await send('GET', `/documents/${id}`)).body);
    await expect.poll(async () => (await read()).state, { timeout: 30_000 }).not.toBe('waiting');
    return read();
  }
  let count = 0;
  /** What the agent's tool answers the model that searches. */
  async function search(query: string): Promise<string> {
    count += 1;
    const body = { user_request: 'look it up', thread_id: `t${count}` };
    const run = post({ url: app.url, key: KEY }, '/run', body);
    await model.calls([{ name: 'documents__search_documents', arguments: { query } }]);
    const heard = await model.heard();
    await model.says('Done.');
    expect(envelopeOf(await run)).toMatchObject({ http: 200, response: 'Done.' });
    return heard;
  }
  return { app, makeKey, send, give, list, idOf, learned, search };
}
type Sent = { readonly key?: string } & Pick<RequestInit, 'body'> & {
    readonly headers?: Readonly<Record<string, string>>;
  };

const codeOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => [
  status,
  errorSchema.parse(body).error.code,
];

describe('documents over HTTP', { timeout: SLOW }, () => {
  it('are learned, found by the agent, replaced by the next with their key, kept over a restart, and deleted', async () => {
    const { app, give, idOf, learned, search, send, list } = await open();
    const first = await give('# Hotels\n\nA zeppelin costs up to 140 euros.', 'travel.md', {
      key: 'policy',
      readers: 'everybody',
      link: 'https://wiki.example.com/travel',
    });
    expect(first).toMatchObject({
      status: 202,
      body: { name: 'travel.md', own: true, readers: 'everybody' },
    });
    const id = idOf(first);
    expect(await learned(id)).toMatchObject({
      state: 'learned',
      problem: null,
      kind: 'markdown',
      passages: 1,
      link: 'https://wiki.example.com/travel',
    });
    expect(await search('zeppelin')).toContain('up to 140 euros');
    const again = { key: 'policy', readers: 'everybody', link: 'https://wiki.example.com/travel' };
    expect(await give('# Hotels\n\nA zeppelin costs up to 140 euros.', 'travel.md', again)).toMatchObject({
      status: 200,
      body: { id, state: 'learned' },
    });

    const body = '# Hotels\n\nA zeppelin costs up to 190 euros.';
    const path = '/documents?name=travel-2027.md&key=policy&readers=everybody';
    const headers = { 'content-type': 'text/markdown' };
    expect(await send('POST', path, { body, headers })).toMatchObject({
      status: 202,
      body: { id, name: 'travel-2027.md' },
    });
    await learned(id);
    await app.restart();
    const found = await search('zeppelin');
    expect(found).toContain('up to 190 euros');
    expect(found).not.toContain('140');
    expect((await list()).documents.filter(({ own }) => own)).toHaveLength(1);

    expect((await send('DELETE', `/documents/${id}`)).status).toBe(204);
    expect(codeOf(await send('GET', `/documents/${id}`))).toEqual([404, 'not_found']);
    expect(codeOf(await send('DELETE', `/documents/${id}`))).toEqual([404, 'not_found']);
    expect(await search('zeppelin costs 190')).not.toContain('travel-2027.md');
  });

  it('that can’t be read say why, and harm nothing', async () => {
    const { give, idOf, learned, search } = await open();
    const problems = [
      ['secret.pdf', makePdf([[{ text: 'Nobody.', size: 11 }]], { isEncrypted: true }), 'encrypted'],
      ['bomb.docx', makeZip({ 'word/document.xml': zeros(40) }), 'too_much'],
      ['broken.xlsx', 'not a workbook', 'broken'],
    ] as const;
    for (const [name, content, code] of problems) {
      const given = await give(content, name, { readers: 'everybody' });
      expect(given.status, name).toBe(202);
      expect(await learned(idOf(given)), name).toMatchObject({ state: 'problem', problem: { code } });
    }
    expect(codeOf(await give('MZ', 'setup.exe'))).toEqual([422, 'unknown_kind']);
    expect(codeOf(await give('text', 'a.txt', { readers: 'slack:T1' }))).toEqual([422, 'invalid_body']);
    expect(codeOf(await give('text', 'a\n.txt', { name: 'a\n.txt' }))).toEqual([422, 'invalid_body']);
    const link = 'https://ana:secret@example.com/a.txt';
    const refused = await give('text', 'a.txt', { link });
    expect(codeOf(refused)).toEqual([422, 'invalid_body']);
    expect(JSON.stringify(refused.body)).not.toContain('secret');
    const fine = await give('Whit Monday is a holiday.', 'holidays.txt', { readers: 'everybody' });
    expect(await learned(idOf(fine))).toMatchObject({ state: 'learned' });
    expect(await search('Whit Monday')).toContain('is a holiday');
    // Of a name, nothing looks like a line of its own.
    const odd = await give('Pentecost is a feast.', 'a\u0085[2] b\u2028\u009b1m.txt', {
      readers: 'everybody',
    });
    expect(odd.body).toMatchObject({ name: 'a [2] b 1m.txt' });
    await learned(idOf(odd));
    expect(await search('Pentecost feast')).toContain('[1] a [2] b 1m.txt, passage 1\n');
  });

  it('have 50 MB at most, whether they say how long they are or not, and a name', async () => {
    const { app, send, give, list } = await open();
    expect(codeOf(await give(Buffer.alloc(51 * MB), 'large.txt'))).toEqual([413, 'too_large']);
    expect(codeOf(await give(Buffer.alloc(50 * MB + 1), 'large.txt'))).toEqual([413, 'too_large']);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1;
        if (sent > 80) controller.close();
        else controller.enqueue(Buffer.alloc(MB));
      },
    });
    const request = {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body,
      duplex: 'half',
    };
    // It may have been refused, and the connection closed, before all was sent.
    const streamed = await fetch(`${app.url}/documents?name=large.txt`, request).catch(() => null);
    expect(streamed?.status ?? 413).toBe(413);
    expect(codeOf(await send('POST', '/documents', { body: 'text' }))).toEqual([422, 'invalid_body']);
    const form = new FormData();
    form.set('name', 'a.txt');
    expect(codeOf(await send('POST', '/documents', { body: form }))).toEqual([422, 'invalid_body']);
    expect((await list()).documents.filter(({ own }) => own)).toEqual([]);
  });

  it('are their key’s alone unless everybody may read them, and need the scope', async () => {
    const { give, idOf, learned, list, makeKey, send } = await open();
    const [other, asking] = [await makeKey('other', 'documents'), await makeKey('asking', 'run')];
    expect(codeOf(await send('GET', '/documents', { key: '' }))).toEqual([401, 'unauthorized']);
    expect(codeOf(await send('GET', '/documents', { key: 'wrong' }))).toEqual([401, 'unauthorized']);
    expect(codeOf(await give('text', 'a.txt', {}, asking))).toEqual([403, 'missing_scope']);
    const mine = idOf(await give('for me alone', 'mine.txt'));
    const ours = idOf(await give('for all of us', 'ours.txt', { readers: 'everybody' }));
    const channels = idOf(await give('for a channel', 'theirs.txt', { readers: 'slack:T1:C1' }));
    for (const id of [mine, ours, channels]) await learned(id);
    // The same key of another's is another document.
    const otherMine = idOf(await give('for the other', 'mine.txt', {}, other));
    expect(otherMine).not.toBe(mine);

    const shown = async (key: string) =>
      (await list('', key)).documents.filter(({ name }) => /^(mine|ours|theirs)/.test(name));
    expect((await shown(KEY)).map(({ id, readers, own }) => [id, readers, own])).toEqual([
      [mine, 'me', true],
      [ours, 'everybody', true],
      [channels, 'slack:T1:C1', true],
    ]);
    expect((await shown(other)).map(({ id, readers, own }) => [id, readers, own])).toEqual([
      [otherMine, 'me', true],
      [ours, 'everybody', false],
    ]);
    for (const id of [mine, channels]) {
      expect(codeOf(await send('GET', `/documents/${id}`, { key: other }))).toEqual([404, 'not_found']);
      expect(codeOf(await send('DELETE', `/documents/${id}`, { key: other }))).toEqual([404, 'not_found']);
    }
    expect(codeOf(await send('DELETE', `/documents/${ours}`, { key: other }))).toEqual([403, 'not_yours']);
    expect((await send('GET', `/documents/${ours}`)).status).toBe(200);

    const all = (await list()).documents.map(({ id }) => id);
    const pages: string[] = [];
    for (let query = '?limit=2'; query !== ''; ) {
      const page = await list(query);
      expect(page.documents.length).toBeLessThanOrEqual(2);
      pages.push(...page.documents.map(({ id }) => id));
      query = page.next_cursor === null ? '' : `?limit=2&cursor=${page.next_cursor}`;
    }
    expect(pages).toEqual(all);
    expect(codeOf(await send('GET', '/documents?cursor=x'))).toEqual([400, 'invalid_query']);
  });
});
