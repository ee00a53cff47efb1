import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createKnowledge, createParseFile } from '../../../src/knowledge/index.ts';
import { type DocumentAnswer, EVERYBODY } from '../../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../../src/storage/documents/index.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const MADE = new URL('../../fixtures/documents', import.meta.url).pathname;
const SLOW = 120_000;
const ANYBODY = { personId: null, threadId: null };
const foundSchema = z.object({
  passages: z.array(z.object({ name: z.string(), text: z.string() })),
  sources: z.array(z.object({ source: z.string(), place: z.string() })),
});
const listSchema = z.object({
  documents: z.array(z.object({ name: z.string(), title: z.string().nullable(), pages: z.int().nullable() })),
  not_searched: z.array(z.object({ name: z.string(), why: z.string() })),
});

function dataOf(answer: DocumentAnswer): unknown {
  return answer.ok ? answer.data : answer.problem;
}

it('files of LibreOffice, Chromium, groff and libraries of Python are learned, and found with where they stand', {
  timeout: SLOW,
}, async () => {
  const folder = temporaryFolder();
  cpSync(MADE, folder, { recursive: true, filter: (path) => !/README\.md$|sources$/.test(path) });
  const failed: string[] = [];
  const knowledge = createKnowledge({
    findReaders: async () => ({ place: { kind: 'program' }, readers: [EVERYBODY], notes: [] }),
    folders: [folder],
    index: openDocumentIndex(join(temporaryFolder(), 'documents.db')),
    parse: createParseFile(),
    clock: () => 1_000,
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (_details, message) => void failed.push(message),
    },
  });
  onTestFinished(() => knowledge.stop());
  await knowledge.start();
  expect(failed).toEqual([]);
  expect(listSchema.parse(dataOf(await knowledge.list(ANYBODY)))).toEqual({
    documents: [
      { name: 'minutes.pdf', title: null, pages: 2 },
      { name: 'onboarding.docx', title: 'Onboarding', pages: null },
      { name: 'orders.csv', title: null, pages: null },
      { name: 'orders.xlsx', title: null, pages: 2 },
      { name: 'prices.pdf', title: 'Price list', pages: 2 },
      { name: 'roadmap.pptx', title: 'Roadmap of the oven', pages: 2 },
      { name: 'shifts.xlsx', title: null, pages: 1 },
      { name: 'terms.docx', title: 'Terms', pages: null },
      { name: 'travel-no-printing.pdf', title: 'Travel handbook', pages: 2 },
      { name: 'travel.docx', title: 'Travel handbook', pages: null },
      { name: 'travel.html', title: 'Travel handbook', pages: null },
      { name: 'travel.pdf', title: 'Travel handbook', pages: 2 },
    ],
    not_searched: [{ name: 'travel-password.pdf', why: 'it is protected by a password' }],
  });

  const hotels = '| City | Euros a night | Book with |\n| Utrecht | 135 | the travel desk |';
  const questions = [
    ['travel.docx', 'hotel in Utrecht', 'Hotels', hotels],
    ['travel.html', 'hotel in Utrecht', 'Hotels', hotels],
    ['travel.pdf', 'hotel in Utrecht', 'page 2, Hotels', hotels],
    ['travel-no-printing.pdf', 'night with friends', 'page 2, Hotels', '25 euros a night'],
    ['travel.docx', 'insurance card', 'What to pack', '- The insurance card from Müller & Søn\n- Receipts'],
    [
      'orders.xlsx',
      'bakery pieces delivered',
      'sheet 1, Orders',
      '| Bakery Lindqvist | 2026-03-17 | 40 | 2.5 | 100 |',
    ],
    ['orders.xlsx', 'what had a crack?', 'sheet 2, Complaints', '| Café Zoë | 2026-04-05 | Three pieces'],
    ['orders.csv', 'Café Zoë delivered', 'passage 1', '| Café Zoë | 02.04.2026 | 12 | 3.25 | 39 |'],
    [
      'roadmap.pptx',
      'when is the door tested?',
      'slide 1, Roadmap of the oven',
      'The door is tested in June',
    ],
    ['roadmap.pptx', 'supplier in Tilburg', 'slide 1, Roadmap of the oven', 'late by two weeks'],
    ['minutes.pdf', 'bicycles in the cellar', 'page 1', 'racks for thirty bicycles'],
    ['minutes.pdf', 'council on the ninth of November', 'page 2', 'in the room above the workshop'],
    ['prices.pdf', 'price of the thermostat', 'page 1, Price list', 'Thermostat “Ørsted” 31.90'],
    ['prices.pdf', 'when do parts in stock leave?', 'page 2, Delivery', 'ordered before noon'],
    [
      'onboarding.docx',
      'who helps with payroll?',
      'Who helps',
      '| Payroll | Noor Aziz |\n| Laptop | Tomáš Novák |',
    ],
    ['terms.docx', 'from when is the notice counted?', 'Terms', '- Counted from the end of a month.'],
    ['terms.docx', 'who is given back keys?', 'Terms', '- Either side may end it.\n  - In writing.\n- Keys'],
    ['shifts.xlsx', 'who has the late shift?', 'sheet 1, Shifts', '| 2026-05-04 | Amara | Jonas |'],
  ] as const;
  for (const [name, question, place, text] of questions) {
    const { passages, sources } = foundSchema.parse(dataOf(await knowledge.search(ANYBODY, question, 8)));
    const at = passages.findIndex((passage) => passage.name === name && passage.text.includes(text));
    expect(JSON.stringify(passages)).not.toContain('↑');
    expect(sources[at], `${question} of ${name}: ${JSON.stringify(passages)}`).toEqual({
      source: name,
      place: expect.stringMatching(new RegExp(`^${place}`)),
    });
  }
});
