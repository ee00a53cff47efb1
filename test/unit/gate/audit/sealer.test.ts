import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { auditHeads, SEALS } from '../../../../src/gate/audit/chain.ts';
import { createSealer } from '../../../../src/gate/audit/sealer.ts';
import { StoreError } from '../../../../src/lib/errors.ts';
import { encodeKey, type Store } from '../../../../src/storage/store.ts';
import { entriesOf, problemsOf } from '../../../helpers/audit.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';
import { type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { THREAD } from '../../../helpers/people.ts';
import { temporaryFolder } from '../../../helpers/process.ts';

let fixture: OpenGate;
let logged: string[];
beforeEach(() => {
  fixture = openGate();
  logged = [];
});

function sealer(headsFile: string | null, store: Store = fixture.store) {
  const note = (level: string) => (details: object, message: string) =>
    void logged.push(`${level} ${message}${'seq' in details ? ` ${details.seq}` : ''}`);
  const log = { info: note('info'), error: note('error') };
  const appendHead = headsFile === null ? null : (line: string) => appendFile(headsFile, line);
  return createSealer({ store, auditKeys, clock: () => fixture.time.now, appendHead, log });
}

async function ask(callId: string): Promise<void> {
  const request = { ...opening(await fixture.fence(), proposed(callId)), interruptId: callId };
  await fixture.gate.requests.open(request);
}

it('a seal is noted in the log and as a line of the file, which the audit can be held against', async () => {
  const file = join(temporaryFolder(), 'heads.jsonl');
  const { runNow } = sealer(file);
  await ask('c1');
  await runNow();
  await ask('c2');
  await runNow();
  const seals = await entriesOf(fixture.store, SEALS);
  const noted = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(noted).toEqual(seals.map(({ seq, hash }) => ({ seq, hash, at: '1970-01-01T00:16:40.000Z' })));
  expect(noted).toHaveLength(2);
  expect(logged).toEqual(['info audit sealed 1', 'info audit sealed 2']);
  expect(await problemsOf(fixture.store, noted)).toEqual([]);
});

it('what has not grown is not sealed again', async () => {
  const { runNow } = sealer(null);
  await ask('c1');
  await runNow();
  await runNow();
  expect(await entriesOf(fixture.store, SEALS)).toHaveLength(1);
});

it('what a process leaves behind is sealed when it stops', async () => {
  const { start, stop } = sealer(null);
  start();
  await ask('c1');
  await stop();
  expect(await entriesOf(fixture.store, SEALS)).toHaveLength(1);
});

it('chains of which the end cannot be read are told of each time, and the others are sealed', async () => {
  const spoilt = Array.from({ length: 120 }, (_, index) => `a${index}`);
  const json = '{"threadId":"a';
  await fixture.store.commit({
    put: spoilt.map((id) => ({
      collection: auditHeads.name,
      id,
      json,
      keys: { byThread: encodeKey([id]), unsealed: encodeKey([id]) },
    })),
  });
  await ask('c1');
  const { runNow } = sealer(null);
  await runNow();
  expect(await entriesOf(fixture.store, SEALS)).toMatchObject([
    { details: { heads: [{ threadId: THREAD }] } },
  ]);
  expect(logged.filter((line) => line.startsWith('error audit chain not sealed'))).toHaveLength(120);
  await runNow();
  expect(logged.filter((line) => line.startsWith('error'))).toHaveLength(240);
});

it('a file that cannot be written, and a store that cannot be read, are told of in the log', async () => {
  await ask('c1');
  await sealer(join(temporaryFolder(), 'none', 'heads')).runNow();
  const query: Store['query'] = () => Promise.reject(new StoreError('There is no store.'));
  await sealer(null, { ...fixture.store, query }).runNow();
  expect(logged).toEqual([
    'info audit sealed 1',
    expect.stringContaining('error AUDIT_HEADS_FILE write failed: ENOENT'),
    'error audit sealing failed: store_unavailable: There is no store.',
  ]);
});
