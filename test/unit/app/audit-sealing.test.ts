import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSealing } from '../../../src/app/audit-sealing.ts';
import { auditHeads, SEALS } from '../../../src/gate/audit/chain.ts';
import { StoreError } from '../../../src/lib/errors.ts';
import { encodeKey, type Store } from '../../../src/storage/store.ts';
import { entriesOf, problemsOf } from '../../helpers/audit.ts';
import { type OpenGate, openGate, opening, proposed, THREAD } from '../../helpers/gate.ts';
import { temporaryFolder } from '../../helpers/process.ts';

let house: OpenGate;
let logged: string[];
beforeEach(() => {
  house = openGate();
  logged = [];
});
afterEach(() => house.close());

function sealing(headsFile: string | null, store: Store = house.store) {
  const note = (level: string) => (details: object, message: string) =>
    void logged.push(`${level} ${message}${'seq' in details ? ` ${details.seq}` : ''}`);
  const log = { info: note('info'), error: note('error') };
  return createSealing({ store, clock: () => house.time.now, headsFile, log });
}

async function ask(callId: string): Promise<void> {
  const request = { ...opening(await house.fence(), proposed(callId)), interruptId: callId };
  await house.gate.requests.open(request);
}

it('a seal is noted in the log and as a line of the file, which the audit can be held against', async () => {
  const file = join(temporaryFolder(), 'heads.jsonl');
  const { sweep } = sealing(file);
  await ask('c1');
  await sweep();
  await ask('c2');
  await sweep();
  const seals = await entriesOf(house.store, SEALS);
  const noted = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(noted).toEqual(seals.map(({ seq, hash }) => ({ seq, hash, at: '1970-01-01T00:16:40.000Z' })));
  expect(noted).toHaveLength(2);
  expect(logged).toEqual(['info the audit was sealed 1', 'info the audit was sealed 2']);
  expect(await problemsOf(house.store, noted)).toEqual([]);
});

it('what has not grown is not sealed again', async () => {
  const { sweep } = sealing(null);
  await ask('c1');
  await sweep();
  await sweep();
  expect(await entriesOf(house.store, SEALS)).toHaveLength(1);
});

it('what a process leaves behind is sealed when it stops', async () => {
  const { start, stop } = sealing(null);
  start();
  await ask('c1');
  await stop();
  expect(await entriesOf(house.store, SEALS)).toHaveLength(1);
});

it('chains of which the end cannot be read are told of each time, and the others are sealed', async () => {
  const spoilt = Array.from({ length: 120 }, (_, index) => `a${index}`);
  const json = '{"threadId":"a';
  await house.store.commit({
    put: spoilt.map((id) => ({
      collection: auditHeads.name,
      id,
      json,
      keys: { byThread: encodeKey([id]), unsealed: encodeKey([id]) },
    })),
  });
  await ask('c1');
  const { sweep } = sealing(null);
  await sweep();
  expect(await entriesOf(house.store, SEALS)).toMatchObject([{ details: { heads: [{ threadId: THREAD }] } }]);
  expect(logged.filter((line) => line.startsWith('error a chain of the audit was not sealed'))).toHaveLength(
    120,
  );
  await sweep();
  expect(logged.filter((line) => line.startsWith('error'))).toHaveLength(240);
});

it('a file that cannot be written, and a store that cannot be read, are told of in the log', async () => {
  await ask('c1');
  await sealing(join(temporaryFolder(), 'none', 'heads')).sweep();
  const query: Store['query'] = () => Promise.reject(new StoreError('There is no store.'));
  await sealing(null, { ...house.store, query }).sweep();
  expect(logged).toEqual([
    'info the audit was sealed 1',
    expect.stringContaining('error a seal was not noted in AUDIT_HEADS_FILE: ENOENT'),
    'error the audit was not sealed: store_unavailable: There is no store.',
  ]);
});
