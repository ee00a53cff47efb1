import { expect, it, onTestFinished } from 'vitest';
import { type Brought, brought } from '../../../../src/slack/documents/collections.ts';
import { createDeletedFiles } from '../../../../src/slack/documents/deleted-files.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { put } from '../../../../src/storage/store.ts';

const HOUR = 3_600_000;

function file(fileId: string, changes: Partial<Brought> = {}): Brought {
  return {
    ...{
      dropId: `drop of ${fileId}`,
      place: 0,
      threadId: 't',
      requester: { id: 'slack:T1:U1', name: 'Ana' },
    },
    ...{ source: { kind: 'file', fileId }, name: 'a.txt', reader: 'person:slack:T1:U1', key: 'a' },
    ...{ documentId: 'd', hash: 'h', at: 0, dueAt: 0, attempts: 0, state: 'ready', problem: null },
    ...{ isNewVersion: false, pages: null, passages: 1, emptyPages: 0, progress: null },
    ...changes,
  };
}

async function open(...files: readonly Brought[]) {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  await store.commit({ put: files.map((it) => put(brought, `${it.dropId}:${it.place}`, it)) });
  const time = { now: 0 };
  const limit = { room: 1 };
  const answers = new Map<string, boolean | null>();
  const asked: string[] = [];
  const forgotten: string[] = [];
  const check = createDeletedFiles({
    store,
    clock: () => time.now,
    async isDeleted(fileId) {
      asked.push(fileId);
      limit.room -= 0.1;
      return answers.has(fileId) ? (answers.get(fileId) ?? null) : false;
    },
    room: () => limit.room,
    forget: async (fileId) => void forgotten.push(fileId),
    log: { error: (details) => expect(details).toBeNull() },
  });
  onTestFinished(() => check.stop());
  return {
    time,
    limit,
    answers,
    forgotten,
    /** What is asked in one step. */
    async step(): Promise<readonly string[]> {
      asked.length = 0;
      await check.runNow();
      return [...asked];
    },
  };
}

it('asks of what is found, and of what is kept and can’t be read, each once, and again after a day', async () => {
  const web = { kind: 'web', url: 'https://example.com' } as const;
  const { step, time, answers, forgotten } = await open(
    file('F1'),
    file('F1', { dropId: 'another', state: 'known' }),
    file('F2', { state: 'unread', problem: 'encrypted' }),
    file('F3', { state: 'unread', problem: 'kind', hash: null }),
    file('F4', { state: 'replaced' }),
    file('F5', { state: 'forgotten' }),
    file('F6', { source: web }),
  );
  answers.set('F2', true);
  expect(await step()).toEqual(['F1', 'F2']);
  expect(forgotten).toEqual(['F2']);
  time.now += 23 * HOUR;
  expect(await step()).toEqual([]);
  time.now += 2 * HOUR;
  expect(await step()).toEqual(['F1', 'F2']);
});

it('leaves half of the limit to others, and goes on once there is room', async () => {
  const { step, limit } = await open(...['F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7'].map((id) => file(id)));
  limit.room = 0.85;
  expect(await step()).toEqual(['F1', 'F2', 'F3', 'F4']);
  expect(await step()).toEqual([]);
  limit.room = 1;
  expect(await step()).toEqual(['F5', 'F6', 'F7']);
});

it('stops where Slack can’t say, and asks the others first the next time', async () => {
  const { step, answers, forgotten } = await open(file('F1'), file('F2'));
  answers.set('F1', null).set('F2', true);
  expect(await step()).toEqual(['F1']);
  expect(await step()).toEqual(['F2', 'F1']);
  answers.set('F1', true);
  expect(await step()).toEqual(['F1']);
  expect(forgotten).toEqual(['F2', 'F1']);
});
