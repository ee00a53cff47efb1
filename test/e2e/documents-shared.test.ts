import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERYBODY } from '../../src/knowledge/ports.ts';
import type { DocumentIndex } from '../../src/storage/documents/index.ts';
import { openSharedDocumentIndex } from '../../src/storage/documents/lance-index.ts';
import { temporaryFolder } from '../helpers/process.ts';

const SLOW = 180_000;
const SCRIPT = new URL('../fixtures/share-documents.ts', import.meta.url).pathname;
const everybody = { readers: [EVERYBODY], limit: 10_000 };

/** A process that puts documents once it's told to; `put` has those that it has said. */
async function startProcess(folder: string, who: string, count: number, whose: 'same' | 'own') {
  const child: ChildProcess = spawn(process.execPath, [SCRIPT, folder, who, String(count), whose], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const put: string[] = [];
  let said = '';
  child.stdout?.on('data', (part) => {
    said += String(part);
    put.splice(0, put.length, ...[...said.matchAll(/put (\S+)\n/g)].map(([, id = '']) => id));
  });
  await expect.poll(() => said, { timeout: 30_000 }).toContain('ready');
  const ended = once(child, 'exit');
  return { child, put, ended, go: () => child.stdin?.write('go\n') };
}

function open(folder: string): DocumentIndex {
  const index = openSharedDocumentIndex(folder);
  onTestFinished(() => index.close());
  return index;
}

/** Every document is whole: as many passages as it says, all of one version, in the index of words, too. */
async function expectWhole(index: DocumentIndex): Promise<void> {
  const documents = await index.list();
  const found = await index.find(['passage'], everybody);
  expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length);
  expect(found).toHaveLength(20 * documents.length);
  for (const { id, hash, passages } of documents) {
    const read = await index.read(id, 1, 100);
    expect(read.map(({ place, text }) => [place, text])).toEqual(
      Array.from({ length: passages }, (_, at) => [at + 1, `passage ${at} by ${hash}`]),
    );
  }
}

describe('an index that two processes have', { timeout: SLOW }, () => {
  it('has what each of them puts at the same time, once', async () => {
    const folder = temporaryFolder();
    const both = await Promise.all(['ana', 'bob'].map((who) => startProcess(folder, who, 15, 'own')));
    for (const { go } of both) go();
    for (const { ended } of both) expect(await ended).toEqual([0, null]);
    const index = open(folder);
    expect(await index.list()).toHaveLength(30);
    await expectWhole(index);
    expect(await index.waiting()).toEqual([]);
    expect((await index.find(['ana'], everybody)).length).toBe(300);
  });

  it('has one version of what both put by the same ids, whole', async () => {
    const folder = temporaryFolder();
    const both = await Promise.all(['ana', 'bob'].map((who) => startProcess(folder, who, 15, 'same')));
    for (const { go } of both) go();
    for (const { ended } of both) expect(await ended).toEqual([0, null]);
    const index = open(folder);
    expect(await index.list()).toHaveLength(15);
    await expectWhole(index);
  });

  it('has nothing half, and all that was said to be put, where one of them is killed', async () => {
    const folder = temporaryFolder();
    const index = open(folder);
    for (const ms of [150, 400, 900, 1_600]) {
      const { child, put, ended, go } = await startProcess(folder, `k${ms}`, 60, 'own');
      const other = await startProcess(folder, `o${ms}`, 4, 'own');
      go();
      other.go();
      await delay(ms);
      child.kill('SIGKILL');
      await ended;
      expect(await other.ended).toEqual([0, null]);
      const ids = (await index.list()).map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining([...put, ...other.put]));
      await expectWhole(index);
      for (const { given } of await index.waiting()) {
        const content = await index.content(given.id, given.version);
        expect(Buffer.from(content ?? []).toString()).toBe(`content by k${ms}`);
        await index.remove(given.id);
      }
    }
  });
});
