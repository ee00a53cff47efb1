import { expect, it } from 'vitest';
import { createUnreadable } from '../../../src/app/damaged-record-log.ts';

it('a record that cannot be read is told of once, however often it is come by', () => {
  const told: object[] = [];
  const unreadable = createUnreadable({ error: (details) => void told.push(details) });
  for (const id of ['a', 'b', 'a']) unreadable({ collection: 'calls', id });
  unreadable({ collection: 'grants', id: 'a' });
  expect(told).toEqual([
    { collection: 'calls', id: 'a' },
    { collection: 'calls', id: 'b' },
    { collection: 'grants', id: 'a' },
  ]);
});
