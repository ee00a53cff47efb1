import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forgetDocuments } from '../../src/app/commands/forget-documents.ts';
import { runForget } from '../../src/app/commands/forget-person.ts';
import { EVERYBODY, givenId } from '../../src/knowledge/ports.ts';
import { type Brought, brought, broughtId } from '../../src/slack/documents/collections.ts';
import { ORIGIN } from '../../src/slack/documents/identify.ts';
import { posted } from '../../src/slack/outbox/collections.ts';
import { type DocumentIndex, openDocumentIndex } from '../../src/storage/documents/index.ts';
import { openSharedDocumentIndex } from '../../src/storage/documents/lance-index.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { put, type Store } from '../../src/storage/store.ts';
import { ana, bob } from '../helpers/people.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { openTestStorage } from '../helpers/storage.ts';

const MODEL = 'words#2';
const FOR_EVERYBODY = { readers: [EVERYBODY], limit: 50 };

interface Document {
  readonly name: string;
  /** Null: of a folder. */
  readonly owner: string | null;
  readonly texts: readonly string[];
}

/** Puts a document in an index, with a vector for each passage, and the copy of its file. */
async function learn(index: DocumentIndex, { name, owner, texts }: Document): Promise<string> {
  const id = givenId(ORIGIN, `${owner} ${name}`);
  const about = { id, origin: ORIGIN, name, kind: 'text', owner, readers: [EVERYBODY], link: null, hash: id };
  const given = { ...about, version: '1', changedAt: 1 };
  if (owner !== null) await index.keep(given, Buffer.alloc(1_048_576));
  const nothing = { title: null, description: null, pages: null, problem: null };
  const passages = texts.map((text) => ({ page: null, section: '', text }));
  await index.put({ ...given, ...nothing, passages: texts.length, learnedAt: 1 }, passages);
  const bare = await index.withoutVector(MODEL, 0, 100);
  await index.putVectors(
    MODEL,
    bare.map(({ hash }) => ({ hash, vector: new Float32Array([1, 0]) })),
  );
  return id;
}

/** Puts on record that somebody dropped a file, and the message that said so. */
async function drop(store: Store, requester: Brought['requester'], documentId: string): Promise<void> {
  const dropId = `D1:${documentId}`;
  const file: Brought = {
    ...{ dropId, place: 0, threadId: 'slack:T1:D1:1.2', requester, name: 'a.txt', reader: EVERYBODY },
    ...{ source: { kind: 'file', fileId: 'F1' }, key: 'a', documentId, hash: documentId, at: 1, dueAt: 1 },
    ...{ attempts: 0, state: 'ready', problem: null, isNewVersion: false, pages: null, passages: 1 },
    emptyPages: 0,
    progress: null,
  };
  const show = { kind: 'drop' as const, dropId };
  const note = { channel: 'D1', threadId: file.threadId, ts: '1.3', hash: '', show };
  await store.commit({
    put: [put(brought, broughtId(file), file), put(posted, `drop:${dropId}`, note)],
  });
}

async function left(store: Store, index: DocumentIndex) {
  const { have, all } = await index.countVectors(MODEL, [EVERYBODY]);
  return {
    names: (await index.list()).map(({ name, owner }) => `${name} of ${owner}`),
    found: (await index.find(['party'], FOR_EVERYBODY)).length,
    copies: (await index.kept()).length,
    vectors: `${have} of ${all}`,
    near: (await index.findNear(new Float32Array([1, 0]), { ...FOR_EVERYBODY, model: MODEL })).compared,
    records: (await store.query(brought, 'byDrop', {}, 50)).items.length,
    messages: (await store.query(posted, 'byThread', {}, 50)).items.length,
  };
}

describe.each([
  { driver: 'in a file', openAt: openDocumentIndex },
  { driver: 'in a folder of several processes', openAt: (path: string) => openSharedDocumentIndex(path) },
])('the documents $driver of whoever is forgotten', { timeout: 60_000 }, ({ openAt }) => {
  /** Ana and Bob brought the same file, and Ana one more; a folder has one. */
  async function open() {
    const { store, close } = await openTestStorage();
    const index = openAt(join(temporaryFolder(), 'documents'));
    onTestFinished(async () => {
      await index.close();
      await close();
    });
    const same = ['the party is on Friday', 'bring cake to the party'];
    await drop(store, ana, await learn(index, { name: 'same.txt', owner: ana.id, texts: same }));
    await drop(store, bob, await learn(index, { name: 'same.txt', owner: bob.id, texts: same }));
    await drop(store, ana, await learn(index, { name: 'own.txt', owner: ana.id, texts: ['my own party'] }));
    await learn(index, { name: 'folder.txt', owner: null, texts: ['the party of all'] });
    // One that she brought a moment ago, of which nothing is learned.
    const kept = { id: 'new', origin: 'api:env', name: 'new.txt', kind: 'text', owner: ana.id, readers: [] };
    await index.keep({ ...kept, link: null, hash: 'n', version: '1', changedAt: 1 }, Buffer.alloc(524_288));
    return { store, index };
  }

  it('go with their passages, vectors, copies and records, and others’ stay whole', async () => {
    const { store, index } = await open();
    const options = { store, indexes: [index], personId: ana.id };
    const before = await left(store, index);
    expect(before).toMatchObject({ found: 6, copies: 4, vectors: '6 of 6', records: 3, messages: 3 });
    const counts = await forgetDocuments({ ...options, isConfirmed: false });
    expect(counts).toEqual({ documents: 3, passages: 3, bytes: 2.5 * 1_048_576, files: 2 });
    expect(await left(store, index)).toEqual(before);
    expect(await forgetDocuments({ ...options, isConfirmed: true })).toEqual(counts);
    expect(await left(store, index)).toEqual({
      names: [`folder.txt of null`, `same.txt of ${bob.id}`],
      ...{ found: 3, copies: 1, vectors: '3 of 3', near: 3, records: 1, messages: 1 },
    });
    expect(await index.waiting()).toHaveLength(1);
    const none = { documents: 0, passages: 0, bytes: 0, files: 0 };
    expect(await forgetDocuments({ ...options, isConfirmed: true })).toEqual(none);
  });
});

describe('countersign forget', { timeout: 60_000 }, () => {
  it('finds documents in DATA_DIR and where knowledge.store says, says what it found and why some stay', async () => {
    const folder = temporaryFolder();
    const config = join(folder, 'countersign.yaml');
    writeFileSync(config, 'knowledge:\n  store: ./shared\n');
    await openSqliteStore({ path: join(folder, 'countersign.db') }).close();
    const paths = { own: join(folder, 'documents.db'), shared: join(folder, 'shared') };
    const forget = async (yes: boolean) => {
      const printed: string[] = [];
      const env = { DATA_DIR: folder, COUNTERSIGN_CONFIG: config };
      await runForget(env, { person: ana.id, yes }, (text) => void printed.push(text));
      return printed.join('\n');
    };
    expect(await forget(true)).toContain('0 documents');
    expect([existsSync(paths.own), existsSync(paths.shared)]).toEqual([false, false]);
    const openBoth = () => [openDocumentIndex(paths.own), openSharedDocumentIndex(paths.shared)];
    for (const index of openBoth()) {
      await learn(index, { name: 'a.txt', owner: ana.id, texts: ['a', 'b'] });
      await learn(index, { name: 'b.txt', owner: ana.id, texts: ['c'] });
      await index.close();
    }
    const found =
      '2 documents that they brought, to direct messages, channels and everybody, with 6 passages';
    expect(await forget(false)).toContain(found);
    const said = await forget(true);
    expect(said).toContain(`${found}, the copies of their files (4.0 MB)`);
    expect(said).toMatch(/This stays: .*documents that others brought, even with the same content/);
    expect(said).toContain('what answers in other people’s conversations quote');
    for (const index of openBoth()) {
      expect([await index.list(), await index.kept()]).toEqual([[], []]);
      await index.close();
    }
  });

  it('deletes nothing where it can’t know where documents are', async () => {
    const folder = temporaryFolder();
    await openSqliteStore({ path: join(folder, 'countersign.db') }).close();
    const env = { DATA_DIR: folder, COUNTERSIGN_CONFIG: join(folder, 'none.yaml') };
    await expect(runForget(env, { person: ana.id, yes: true }, () => undefined)).rejects.toThrow('none.yaml');
  });
});
