import { expect, test } from 'vitest';
import { sessionKey, sessions } from '../../../src/programs/collections.ts';
import { createProgramSessions } from '../../../src/programs/program-sessions.ts';
import { put } from '../../../src/storage/store.ts';
import { openTestStorage } from '../../helpers/storage.ts';

async function withSessions(...begun: readonly (readonly [program: string, at: number])[]) {
  const { store } = await openTestStorage();
  for (const [program, createdAt] of begun) {
    const record = { program, session: `s${createdAt}`, agentName: null, agentType: null, createdAt };
    await store.commit({ put: [put(sessions, sessionKey(program, record.session), record)] });
  }
  const programSessions = createProgramSessions(store);
  const names = async (program: string | null) =>
    (await programSessions.list(program, 10, null)).items.map(({ session }) => session);
  return { programSessions, names };
}

test('conversations are listed newest first, of one program or of all', async () => {
  const { names } = await withSessions(['a', 1], ['b', 2], ['a', 3]);
  expect(await names(null)).toEqual(['s3', 's2', 's1']);
  expect(await names('a')).toEqual(['s3', 's1']);
});

test('old conversations are forgotten, so many at a time', async () => {
  const { programSessions, names } = await withSessions(['a', 1], ['b', 2], ['a', 3]);
  expect(await programSessions.forget(3, 1)).toBe(1);
  expect(await names(null)).toEqual(['s3', 's2']);
  expect(await programSessions.forget(3, 10)).toBe(1);
  expect(await programSessions.forget(3, 10)).toBe(0);
  expect(await names(null)).toEqual(['s3']);
});
