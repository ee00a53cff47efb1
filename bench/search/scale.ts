import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { createParseFile } from '../../src/knowledge/parse/parse-file.ts';
import { toPassages } from '../../src/knowledge/passages.ts';
import { makePdf } from '../../test/helpers/made-documents.ts';
import { number, table } from '../markdown.ts';
import { quantile, round } from '../statistics.ts';
import { type Busyness, currentBusyness, describeBusyness } from '../surroundings.ts';
import { createMadeText } from './made-text.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [10_000];
const PDF_PAGES = 2_000;
const PDF_LINES = 40;
const PDF_WORDS = 11;

const times = z.array(z.number());
/** In bytes: what the process has in memory more than before it opened the index, and the index on disk. */
const takesSchema = z.object({ memory: z.number(), bytes: z.number() });
const rowSchema = z.object({
  passages: z.number(),
  /** Passages learned in a second, once they are read. */
  perSecond: z.number(),
  /** Of each search, in milliseconds. */
  times: z.object({ words: times, vectors: times, both: times }),
  wordsOnly: takesSchema,
  withVectors: takesSchema,
});
export type ScaleRow = z.infer<typeof rowSchema>;

interface KnowledgeFigures {
  readonly busyness: Busyness;
  readonly rows: readonly ScaleRow[];
  readonly pdf: { readonly pages: number; readonly passages: number; readonly seconds: number };
}

/** Indexes of made-up text, each in a process of its own, and a PDF of many pages. */
export async function measureKnowledge({
  isQuick,
  say,
}: {
  readonly isQuick: boolean;
  readonly say: (what: string) => void;
}): Promise<KnowledgeFigures> {
  const busyness = currentBusyness();
  const rows: ScaleRow[] = [];
  for (const size of isQuick ? QUICK_SIZES : SIZES) {
    say(`an index of ${number(size)} passages`);
    const args = [
      '--conditions=countersign-source',
      join(import.meta.dirname, 'scale-child.ts'),
      String(size),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    rows.push(rowSchema.parse(JSON.parse(stdout)));
  }
  say('a PDF');
  return { busyness, rows, pdf: await measurePdf(isQuick ? PDF_PAGES / 10 : PDF_PAGES) };
}

async function measurePdf(pages: number): Promise<KnowledgeFigures['pdf']> {
  const text = createMadeText(pages);
  const lines = () => Array.from({ length: PDF_LINES }, () => text.passage(PDF_WORDS));
  const file = makePdf(Array.from({ length: pages }, lines));
  const start = performance.now();
  const result = await createParseFile()(file, 'pdf');
  const seconds = (performance.now() - start) / 1_000;
  if (!result.ok) throw new Error(`the PDF was not read: ${result.problem}`);
  return { pages, passages: toPassages(result.document).length, seconds };
}

export function knowledgeSection({ busyness, rows, pdf }: KnowledgeFigures): string[] {
  return [
    '## Documents',
    `Passages of 170 made-up words whose frequencies are those of a language, in documents of 100 passages, and questions of two to seven words. Each index is in a file, opened by a process of its own, and searched as the server \`documents\` does. Times are p50 / p95. Vectors have 384 dimensions and no meaning, and cost nothing to make. Memory is what the process has more than before, with words alone / with vectors; so is the file. Measured ${describeBusyness(busyness)}.`,
    table(
      [
        'passages',
        'by words (ms)',
        'by vectors (ms)',
        'by both (ms)',
        'memory (MB)',
        'file (MB)',
        'learned in 1 s',
      ],
      rows.map(({ passages, perSecond, times: { words, vectors, both }, wordsOnly, withVectors }) => [
        number(passages),
        ...[words, vectors, both].map((all) => `${quantile(all, 0.5)} / ${quantile(all, 0.95)}`),
        ...(['memory', 'bytes'] as const).map((what) =>
          [wordsOnly, withVectors].map((takes) => number(round(takes[what] / 1e6))).join(' / '),
        ),
        number(round(perSecond)),
      ]),
    ),
    `A PDF of ${number(pdf.pages)} pages with 440 words each is read in ${round(pdf.seconds)} s, ${number(round(pdf.pages / pdf.seconds))} pages a second, and makes ${number(pdf.passages)} passages.`,
  ];
}
