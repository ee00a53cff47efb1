import { expect, test } from 'vitest';
import { z } from 'zod';
import { DamagedRecordError } from '../../../src/lib/errors.ts';
import { KnownRecords } from '../../../src/storage/known-records.ts';
import { collection, ref } from '../../../src/storage/store.ts';

const notes = collection({
  name: 'notes',
  schema: z.object({ lines: z.array(z.object({ text: z.string() })) }),
  indexes: {},
});
const row = (text: string, version = 1) => ({ id: 'n', version, json: `{"lines":[{"text":"${text}"}]}` });

test('the same row is read once, and what it says is the same for all', () => {
  const known = new KnownRecords();
  expect(known.find(notes, 'n')).toBeUndefined();
  const read = known.read(notes, row('a'));
  expect(known.read(notes, row('a'))).toBe(read);
  expect(known.find(notes, 'n')).toBe(read);
  expect(() => read.value.lines.push({ text: 'b' })).toThrow(TypeError);
  expect(() => Object.assign(read.value.lines[0] ?? {}, { text: 'b' })).toThrow(TypeError);
});

test('a row with another version or another text is read anew', () => {
  const known = new KnownRecords();
  known.read(notes, row('a'));
  expect(known.read(notes, row('a', 2)).version).toBe(2);
  expect(known.read(notes, row('b', 2)).value.lines).toEqual([{ text: 'b' }]);
  expect(() => known.read(notes, { ...row('c', 2), json: '{}' })).toThrow(DamagedRecordError);
  expect(known.find(notes, 'n')?.value.lines).toEqual([{ text: 'b' }]);
});

test('records of other collections have names of their own, and what is forgotten is not known', () => {
  const known = new KnownRecords();
  const others = { ...notes, name: 'others' };
  known.read(notes, row('a'));
  known.noteAbsent(ref(others, 'n'));
  expect(known.find(others, 'n')).toBeNull();
  known.forget(ref(notes, 'n'));
  expect(known.find(notes, 'n')).toBeUndefined();
  known.clear();
  expect(known.find(others, 'n')).toBeUndefined();
});

test('what another schema has read is read anew', () => {
  const known = new KnownRecords();
  const loose = collection({ name: 'notes', schema: z.unknown(), indexes: {} });
  known.read(loose, row('a'));
  expect(known.find(notes, 'n')).toBeUndefined();
  expect(() => known.read(notes, { ...row('a'), json: '{}' })).toThrow(DamagedRecordError);
  expect(known.read(notes, row('a')).value.lines).toEqual([{ text: 'a' }]);
});

test('a long record is not kept', () => {
  const known = new KnownRecords();
  known.read(notes, row('x'.repeat(70_000)));
  expect(known.find(notes, 'n')).toBeUndefined();
});
