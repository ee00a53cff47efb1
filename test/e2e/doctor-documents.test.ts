import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runDoctor } from '../../src/app/doctor/doctor.ts';
import { EVERYBODY } from '../../src/knowledge/ports.ts';
import { openSharedDocumentIndex } from '../../src/storage/documents/lance-index.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { refuse, startVectorServer } from '../helpers/topic-vectors.ts';

const findingsSchema = z.array(
  z.object({ check: z.string(), status: z.string(), detail: z.string(), mend: z.string().nullable() }),
);

/** What the doctor says of a check, of a configuration that is in this folder. */
async function examine(folder: string, knowledge: object, env: Readonly<Record<string, string>> = {}) {
  const config = join(folder, 'c.yaml');
  writeFileSync(config, JSON.stringify({ knowledge }));
  const printed: string[] = [];
  await runDoctor({
    variables: { COUNTERSIGN_CONFIG: config, DATA_DIR: join(folder, 'data'), ...env },
    bundled: { in_process: ['documents'], connector: [] },
    json: true,
    print: (text) => void printed.push(text),
  });
  const findings = findingsSchema.parse(JSON.parse(printed.join('')));
  return (check: string) => findings.find((finding) => finding.check === check);
}

describe('countersign doctor, of documents,', { timeout: 60_000 }, () => {
  it('reads each folder, and says where there is nothing or what can’t be read', async () => {
    const folder = temporaryFolder();
    for (const name of ['hr/old', 'empty']) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ['hr/a.md', 'hr/old/b.pdf', 'hr/c.exe', 'file.md'])
      writeFileSync(join(folder, name), '');
    const about = await examine(folder, { folders: ['./hr', './empty', './gone', './file.md'] });
    const at = (name: string) => about(`documents in ${join(folder, name)}`);
    expect(at('hr')).toMatchObject({ status: 'ok', detail: '2 files of kinds that are learned.' });
    expect(at('empty')).toMatchObject({
      status: 'warning',
      mend: expect.stringContaining('knowledge.folders'),
    });
    expect(at('gone')).toMatchObject({ status: 'failed', detail: expect.stringContaining('ENOENT') });
    expect(at('file.md')).toMatchObject({ status: 'failed', detail: expect.stringContaining('ENOTDIR') });
    const given = await examine(folder, {}, { DOCUMENTS_DIR: join(folder, 'hr') });
    expect(given(`documents in ${join(folder, 'hr')}`)).toMatchObject({ status: 'ok' });
  });

  it('looks where processes share them, and makes nothing there', async () => {
    const folder = temporaryFolder();
    const store = join(folder, 'shared');
    const shared = async (knowledge: object, env = {}) =>
      (await examine(folder, knowledge, env))('shared documents');
    expect(await shared({})).toMatchObject({ status: 'skipped' });
    expect(await shared({}, { REDIS_URL: 'redis://127.0.0.1:1' })).toMatchObject({
      status: 'warning',
      mend: expect.stringContaining('knowledge.store'),
    });
    expect(await shared({ store })).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('will be made'),
    });
    expect(existsSync(store)).toBe(false);
    const index = openSharedDocumentIndex(store);
    const about = { origin: 'o', kind: 'text', owner: null, readers: [EVERYBODY], link: null, hash: 'h' };
    const rest = {
      title: null,
      description: null,
      pages: null,
      problem: null,
      learnedAt: 1,
      changedAt: null,
    };
    for (const id of ['a', 'b'])
      await index.put({ ...about, ...rest, id, name: id, version: '1', passages: 1 }, [
        { page: null, section: '', text: 'apples' },
      ]);
    await index.close();
    expect(await shared({ store })).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('has 2 documents'),
    });
    writeFileSync(join(folder, 'file'), '');
    expect(await shared({ store: './file' })).toMatchObject({
      status: 'failed',
      mend: expect.stringContaining('Correct knowledge.store'),
    });
    expect(await shared({ store: 'nothing://here' })).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining("nothing://here can't be used: "),
    });
  });

  it('asks the embedding model for as many dimensions as are configured, and says what it refuses', async () => {
    const server = await startVectorServer();
    const folder = temporaryFolder();
    const ask = async (more: object) =>
      (await examine(folder, { embeddings: { url: server.url, model: 'm', ...more } }))('embeddings');
    expect(await ask({ dimensions: 5 })).toMatchObject({
      status: 'ok',
      detail: 'm makes vectors of 5 dimensions.',
    });
    expect(await ask({ dimensions: 4 })).toMatchObject({
      status: 'warning',
      detail: 'm makes vectors of 5 dimensions, where 4 are asked for.',
      mend: expect.stringContaining('Leave dimensions out'),
    });
    server.answerWith((_asked, response) => refuse(response, 400, 'there is no model m'));
    expect(await ask({})).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('there is no model m'),
    });
  });
});
