import { expect, it } from 'vitest';
import { createDamagedRecordLog } from '../../../src/storage/damaged-record-log.ts';

it('a record that cannot be read is logged once, however often it is come by', () => {
  const told: object[] = [];
  const logDamaged = createDamagedRecordLog({ error: (details) => void told.push(details) });
  for (const id of ['a', 'b', 'a']) logDamaged({ collection: 'calls', id });
  logDamaged({ collection: 'grants', id: 'a' });
  expect(told).toEqual([
    { collection: 'calls', id: 'a' },
    { collection: 'calls', id: 'b' },
    { collection: 'grants', id: 'a' },
  ]);
});
