import { expect, it } from 'vitest';
import { documentFolderSchema } from '../../../src/config/knowledge.ts';

it('a folder is for everybody, or for those that are named', () => {
  expect(documentFolderSchema.parse('./handbook')).toEqual({ folder: './handbook', readers: ['everybody'] });
  const hr = { folder: './hr', readers: ['C012AB3CD', 'U012AB3CD', 'everybody'] };
  expect(documentFolderSchema.parse(hr)).toEqual(hr);
});

it.each([
  ['no readers', { folder: './hr', readers: [] }],
  ['a name in place of an id', { folder: './hr', readers: ['#hr'] }],
  ['a user group', { folder: './hr', readers: ['S012AB3CD'] }],
  ['another key', { folder: './hr', reader: ['C012AB3CD'] }],
  ['no folder', { readers: ['C012AB3CD'] }],
])('%s is a mistake, which says what is right', (_what, given) => {
  const { error } = documentFolderSchema.safeParse(given);
  expect(error?.message).toMatch(/must be a folder, or|must be everybody|must name somebody/);
});
