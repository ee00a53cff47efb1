// Measures an index of one size in a process of its own, and prints the figures as JSON: node scale-child.ts PASSAGES
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchDocuments } from '../../src/knowledge/answers.ts';
import { EVERYBODY, type Reading } from '../../src/knowledge/ports.ts';
import { createSearch } from '../../src/knowledge/search/search.ts';
import { openDocumentIndex } from '../../src/storage/documents/index.ts';
import { createMadeText } from './made-text.ts';
import type { ScaleRow } from './scale.ts';

/** Everybody's documents, as a program asks for them. */
const READING: Reading = { place: { kind: 'program' }, readers: [EVERYBODY], notes: [] };

/** Of each document; a handbook has as many. */
const PASSAGES = 100;
/** What 256 tokens of English are about. */
const WORDS = 170;
const WARMING = 5;
const QUESTIONS = 60;

const size = Number(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'bench-knowledge-'));
try {
  process.stdout.write(JSON.stringify(await measureSize()));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function measureSize(): Promise<ScaleRow> {
  const text = createMadeText(size);
  const before = process.memoryUsage().rss;
  const index = openDocumentIndex(join(folder, 'documents.db'));
  const log = { info: () => {}, warn: console.error, error: console.error };
  const search = createSearch({ index, embeddings: null, rerank: null, clock: Date.now, log });
  let learningMs = 0;
  for (let number = 0; number < size / PASSAGES; number += 1) {
    const passages = Array.from({ length: PASSAGES }, () => ({
      page: null,
      section: text.passage(4),
      text: text.passage(WORDS),
    }));
    const start = performance.now();
    await index.put(makeDocument(number, text.passage(3)), passages);
    learningMs += performance.now() - start;
  }
  const times: number[] = [];
  for (let number = 0; number < WARMING + QUESTIONS; number += 1) {
    // From two words to seven, as people ask.
    const query = text.question(2 + (number % 6));
    const start = performance.now();
    await searchDocuments(index, search, READING, { query, limit: 8 });
    if (number >= WARMING) times.push(performance.now() - start);
  }
  const memory = process.memoryUsage().rss - before;
  await index.close();
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return { passages: size, times, memory, bytes, perSecond: (size / learningMs) * 1_000 };
}

function makeDocument(number: number, title: string) {
  return {
    ...{ id: `d${number}`, origin: 'bench', name: `${title}/${number}.md`, kind: 'markdown', owner: null },
    ...{ readers: [EVERYBODY], link: null, hash: '', version: '', title, description: null, pages: null },
    ...{ passages: PASSAGES, problem: null, learnedAt: 0, changedAt: null },
  };
}
