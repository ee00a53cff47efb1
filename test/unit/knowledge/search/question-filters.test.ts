import { describe, expect, it } from 'vitest';
import { isNamed, readFilters } from '../../../../src/knowledge/search/question-filters.ts';

const NOW = Date.UTC(2026, 10, 29, 12);
const NONE = { kinds: [], names: [], since: null };

describe('what a question says of the documents that it is about', () => {
  it.each([
    ['what is the target in the sales spreadsheet?', ['xlsx', 'csv']],
    ['Which date stands on the slides?', ['pptx']],
    ['what do our PDFs say of leave?', []],
    ['what stands in our PDFs about leave?', ['pdf']],
    ['How do I export a report as PDF?', []],
    ['can I save it in the PDF format?', []],
    ['how is our presentation made?', []],
  ])('%s', async (question, kinds) => {
    expect((await readFilters(question, NOW)).kinds).toEqual(kinds);
  });

  it('is names of files, and what is quoted', async () => {
    expect(await readFilters('what does travel/policy-2026.pdf say? And “Leave rules”?', NOW)).toEqual({
      ...NONE,
      names: ['travel/policy-2026.pdf', 'Leave rules'],
    });
  });

  it.each([
    ['which rules were changed since March?', '2026-03'],
    ['what was updated after 5 May 2025?', '2025-05'],
    ['documents changed yesterday', '2026-11-28'],
    ['How have prices developed since March?', null],
    ['What has changed?', null],
  ])('is since when they were changed, and not of when they tell: %s', async (question, since) => {
    const found = (await readFilters(question, NOW)).since;
    if (since === null) expect(found).toBeNull();
    else expect(new Date(found ?? 0).toISOString()).toContain(since);
  });

  it('names a document by its path, its file or its title', () => {
    const document = { name: 'hr/leave-rules.docx', title: 'Rules of leave' };
    for (const said of ['hr/leave-rules.docx', 'Leave Rules', 'LEAVE-RULES.docx', 'rules of leave'])
      expect(isNamed(said, document), said).toBe(true);
    for (const said of ['leave', 'rules', '']) expect(isNamed(said, document), said).toBe(false);
  });
});
