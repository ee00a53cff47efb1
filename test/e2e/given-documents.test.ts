import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { EVERYBODY, givenId } from '../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../src/storage/documents/index.ts';
import { temporaryFolder } from '../helpers/process.ts';

const SLOW = 180_000;
const SCRIPT = new URL('../fixtures/give-documents.ts', import.meta.url).pathname;
const COUNT = 3;
const NAMES = Array.from({ length: COUNT }, (_, index) => `d${index}.txt`);

/** Gives documents in a process that is killed as soon as it has said so many things; what it has said. */
async function give(path: string, version: string, most: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [SCRIPT, path, String(COUNT), version], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === most) child.kill('SIGKILL');
  }
  await ended;
  return said;
}

/** What is there: each document whole, and of one version. */
async function look(path: string) {
  const index = openDocumentIndex(path);
  const documents = await index.list();
  for (const { id, passages } of documents) {
    const read = await index.read(id, 1, 1_000);
    expect(read).toHaveLength(passages);
    const versions = new Set(read.flatMap(({ text }) => text.match(/\b(?:old|new)\b/g) ?? []));
    expect(versions.size).toBe(1);
  }
  const found = async (word: string) =>
    (await index.find([word], { readers: [EVERYBODY], limit: 1_000 })).map(({ documentId }) => documentId);
  const kept = await Promise.all(NAMES.map((name) => index.given(givenId('slack', name))));
  const result = {
    names: documents.map(({ name }) => name),
    kept: kept.flatMap((one) => one?.name ?? []),
    old: new Set(await found('old')).size,
    new: new Set(await found('new')).size,
  };
  await index.close();
  return result;
}

it('documents that were given are whole or not there, wherever the process is killed; what it said is so', {
  timeout: SLOW,
}, async () => {
  const path = join(temporaryFolder(), 'documents.db');
  const all = await give(path, 'old', Number.POSITIVE_INFINITY);
  // Each was kept and learned, and two were forgotten.
  expect(all).toHaveLength(2 * COUNT + 2);
  expect(await look(path)).toEqual({ names: NAMES.slice(2), kept: NAMES.slice(2), old: 1, new: 0 });
  for (let most = 1; most < all.length; most += 1) {
    const version = most % 2 === 0 ? 'old' : 'new';
    const said = await give(path, version, most);
    const { names, kept } = await look(path);
    const last = new Map(said.map((line) => line.split(' ')).map(([what, name]) => [name, what]));
    const gone = [...last].filter(([, what]) => what === 'forgot').map(([name]) => name);
    const there = [...last].filter(([, what]) => what !== 'forgot').map(([name]) => name);
    expect([most, kept]).toEqual([most, expect.arrayContaining(there)]);
    for (const name of gone) expect([...names, ...kept], String(most)).not.toContain(name);
  }
  await give(path, 'new', Number.POSITIVE_INFINITY);
  expect(await look(path)).toEqual({ names: NAMES.slice(2), kept: NAMES.slice(2), old: 0, new: 1 });
});
