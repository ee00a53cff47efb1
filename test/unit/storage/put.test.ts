import { expect, test } from 'vitest';
import { z } from 'zod';
import { StoreError } from '../../../src/lib/errors.ts';
import { collection, put } from '../../../src/storage/store.ts';

const people = collection({
  name: 'people',
  schema: z.object({ name: z.string(), age: z.number() }),
  indexes: { byAge: (person) => [person.age] },
});

test('a value that does not fit is refused, by name and not by content', () => {
  const person = { name: 'a secret', age: Number.NaN };
  const refused = () => put(people, 'p1', person);
  expect(refused).toThrow(StoreError);
  expect(refused).toThrow(/record p1 does not fit people/);
  expect(refused).not.toThrow(/secret/);
});

test('what the schema does not know is left out', () => {
  const person = { name: 'Ann', age: 30, extra: true };
  expect(put(people, 'p1', person).json).toBe('{"name":"Ann","age":30}');
});
