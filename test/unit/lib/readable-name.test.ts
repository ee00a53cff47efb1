import { expect, it } from 'vitest';
import { readableName } from '../../../src/lib/readable-name.ts';

it.each([
  ['create_event', 'Create event'],
  ['createEvent', 'Create event'],
  ['get-sum', 'Get sum'],
  ['read_PDF_file', 'Read PDF file'],
  ['search', 'Search'],
  ['durationMinutes', 'Duration minutes'],
  ['naïve_größe', 'Naïve größe'],
  ['नाम_लंबाई', 'नाम लंबाई'],
  ['room$🙂', 'Room'],
  ['___', ''],
])('%s in words is "%s"', (name, words) => {
  expect(readableName(name)).toBe(words);
});
