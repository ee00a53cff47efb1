import { expect, it } from 'vitest';
import { recordKey } from '../../src/gate/call/digest.ts';
import { calls } from '../../src/gate/store/collections.ts';
import { putCall } from '../../src/gate/store/commit.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { damage, writtenBefore } from '../helpers/damage.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;
const HOUR = 60 * 60_000;

it('a call that an earlier version asked about expires, beside one that cannot be read', {
  timeout: 60_000,
}, async () => {
  const { app, model, driver } = await startAppWithModel({
    file: {
      mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'] } },
      requests: { open_for: '2h' },
    },
  });
  const ana = driver.as('ana');
  ana.dm('enter rent');
  await model.calls([{ name: 'ledger__add_entry', arguments: { entry: 'rent' } }]);
  await driver.waitForMessage((message) => driver.text(message).includes('[Approve]'));

  const [call] = await app.notEnded();
  if (!call) throw new Error('nothing waits');
  const spoilt = { ...call, threadId: 'slack:T1:C1:1.0', callId: 'spoilt' };
  const id = recordKey(spoilt);
  await app.inStore(async (store) => {
    await store.commit({ put: [putCall(spoilt)] });
    await damage(store, calls, id);
    await writtenBefore(store, [recordKey(call)], ['expiring', 'climbing', 'judged']);
  });
  await app.restart();
  expect(app.logged).toContainEqual(
    expect.objectContaining({ msg: expect.stringContaining('migrated'), calls: 1 }),
  );

  await app.pass(3 * HOUR);
  await driver.waitForMessage((message) => driver.text(message).includes('⌛ Expired'));
  await app.pass(1);
  const told = app.logged.filter(({ msg }) => msg.startsWith('damaged record'));
  expect(told).toMatchObject([{ collection: 'calls', id }]);
});
