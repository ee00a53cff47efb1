import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documentAnswerSchema } from '../../src/http/documents/schemas.ts';
import { startCluster } from '../helpers/cluster.ts';
import { envelopeOf, post } from '../helpers/http-client.ts';
import { startModel } from '../helpers/model.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { hasRedis } from '../helpers/redis.ts';

const SLOW = 180_000;
const PATIENCE_MS = 60_000;
const KEY = 'a-key-of-whoever-shares-documents-14142';

/** Processes that share the work, and the model they ask; `knowledge` is that of their configuration, which has no servers. */
async function open(knowledge: Readonly<Record<string, string>>) {
  const cluster = await startCluster();
  const model = await startModel();
  onTestFinished(async () => {
    model.giveUp();
    await model.stop();
  });
  const config = join(temporaryFolder(), 'countersign.yaml');
  // The model is only asked what the test scripts.
  writeFileSync(config, JSON.stringify({ knowledge: { ...knowledge, descriptions: false } }));
  const start = (role: 'web' | 'worker') =>
    cluster.start(role, {
      COUNTERSIGN_CONFIG: config,
      COUNTERSIGN_API_KEY: KEY,
      OPENAI_API_KEY: 'key-of-the-scripted-model',
      OPENAI_BASE_URL: model.url,
    });
  const web = await start('web');
  const { apiUrl } = await web.ready();
  const headers = { authorization: `Bearer ${KEY}` };
  const give = (body: string, name: string) =>
    fetch(`${apiUrl}/documents?readers=everybody&name=${name}`, { method: 'POST', headers, body });
  const give202 = async (body: string, name: string) => {
    const answer = await give(body, name);
    expect(answer.status).toBe(202);
    return documentAnswerSchema.parse(await answer.json());
  };
  const read = async (id: string) =>
    documentAnswerSchema.parse(await (await fetch(`${apiUrl}/documents/${id}`, { headers })).json());
  const learned = (id: string) =>
    expect.poll(async () => (await read(id)).state, { timeout: PATIENCE_MS }).toBe('learned');
  let count = 0;
  async function search(query: string): Promise<string> {
    count += 1;
    const run = post({ url: apiUrl, key: KEY }, '/run', {
      user_request: 'look it up',
      thread_id: `t${count}`,
    });
    await model.calls([{ name: 'documents__search_documents', arguments: { query } }]);
    const heard = await model.heard();
    await model.says('Done.');
    expect(envelopeOf(await run)).toMatchObject({ http: 200, response: 'Done.' });
    return heard;
  }
  const remove = (id: string) => fetch(`${apiUrl}/documents/${id}`, { method: 'DELETE', headers });
  return { start, give, give202, learned, search, remove };
}

describe.skipIf(!hasRedis('documents of several processes'))('documents of several processes', () => {
  it('are given to one, learned by another, found by all, and by the next once that is killed', {
    timeout: SLOW,
  }, async () => {
    const { start, give202, learned, search, remove } = await open({
      store: join(temporaryFolder(), 'documents'),
    });
    const first = await start('worker');
    const { id } = await give202('# Zeppelins\n\nA zeppelin costs up to 140 euros.', 'zeppelins.md');
    await learned(id);
    // Nobody is asked: that it only reads is known of a server that is added by itself.
    expect(await search('zeppelin')).toContain('up to 140 euros');

    await first.end('SIGKILL');
    await start('worker');
    const other = await give202('The airship lands on Mondays.', 'airships.txt');
    await learned(other.id);
    expect(await search('airship')).toContain('lands on Mondays');
    expect(await search('zeppelin')).toContain('up to 140 euros');
    expect((await remove(id)).status).toBe(204);
    expect(await search('zeppelin')).not.toContain('140');
  });

  it('without a store of theirs, are refused, and none is lost', { timeout: SLOW }, async () => {
    const { give } = await open({});
    const refused = await give('text', 'a.txt');
    expect([refused.status, (await refused.json()).error.code]).toEqual([409, 'no_documents']);
  });
});
