// Measures an index of one size in a process of its own, and prints the figures as JSON: node scale-child.ts PASSAGES
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '../../src/knowledge/embeddings/embedder.ts';
import { type Embeddings, EVERYBODY } from '../../src/knowledge/ports.ts';
import { createSearch } from '../../src/knowledge/search/search.ts';
import { openDocumentIndex } from '../../src/storage/documents/index.ts';
import { createMadeText } from './made-text.ts';
import type { ScaleRow } from './scale.ts';

/** Of each document; a handbook has as many. */
const PASSAGES = 100;
/** What 256 tokens of English are about. */
const WORDS = 170;
const WARMING = 5;
const DIMENSIONS = 384;
/** Of each way. */
const QUESTIONS = 60;

/** Vectors of no meaning, as many as a model for one's own machine makes, and each the same for the same text. */
const EMBEDDINGS: Embeddings = {
  model: 'made',
  weight: 1,
  embed: async (texts) => texts.map(makeVector),
};

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
  const memory = () => process.memoryUsage().rss - before;
  const index = openDocumentIndex(join(folder, 'documents.db'));
  const fileBytes = () =>
    readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
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
  const log = { info: () => {}, warn: console.error, error: console.error };
  async function measure(embeddings: Embeddings | null, wordsWeight: number) {
    const search = createSearch({ index, embeddings, rerank: null, clock: Date.now, log, wordsWeight });
    const times: number[] = [];
    for (let number = 0; number < WARMING + QUESTIONS; number += 1) {
      // From two words to seven, as people ask.
      const query = text.question(2 + (number % 6));
      const start = performance.now();
      await search({ query, limit: 8 }, [EVERYBODY]);
      if (number >= WARMING) times.push(performance.now() - start);
    }
    return times;
  }
  const words = await measure(null, 1);
  const wordsOnly = { memory: memory(), bytes: fileBytes() };
  const embedder = createEmbedder({ index, embeddings: EMBEDDINGS, log });
  await embedder.start();
  await embedder.stop();
  const [vectors, both] = [await measure(EMBEDDINGS, 0), await measure(EMBEDDINGS, 1)];
  const withVectors = { memory: memory(), bytes: fileBytes() };
  await index.close();
  const perSecond = (size / learningMs) * 1_000;
  return { passages: size, perSecond, times: { words, vectors, both }, wordsOnly, withVectors };
}

function makeVector(text: string): Float32Array {
  let state = createHash('sha256').update(text).digest().readUInt32LE();
  const values = Float32Array.from({ length: DIMENSIONS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

function makeDocument(number: number, title: string) {
  return {
    ...{ id: `d${number}`, origin: 'bench', name: `${title}/${number}.md`, kind: 'markdown', owner: null },
    ...{ readers: [EVERYBODY], link: null, hash: '', version: '', title, description: null, pages: null },
    ...{ passages: PASSAGES, problem: null, learnedAt: 0, changedAt: null },
  };
}
