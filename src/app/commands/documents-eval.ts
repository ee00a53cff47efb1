/** Measures how well questions find what they should in documents. */

import { existsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { DEFAULT_FILE, readDocumentSettings } from '../../config/file.ts';
import { readYamlFile } from '../../config/yaml-file.ts';
import {
  describeEvaluation,
  drawChart,
  evaluate,
  keptEvaluationSchema,
  prepareContenders,
  questionFileSchema,
} from '../../knowledge/evaluation/index.ts';
import { createEmbeddings, createKnowledge, createParseFile } from '../../knowledge/index.ts';
import { EVERYBODY } from '../../knowledge/ports.ts';
import { formatPath } from '../../lib/config-errors/parse.ts';
import { ConfigError } from '../../lib/errors.ts';
import { openDocumentIndex, type PassageRecord } from '../../storage/documents/index.ts';
import { DOCUMENTS_EVAL } from '../texts/documents-eval.ts';
import type { CommandContext } from './context.ts';

export interface DocumentsEvalOptions {
  /** Default: `COUNTERSIGN_CONFIG`, or `countersign.yaml` in this folder. */
  readonly config?: string;
  readonly misses?: boolean;
  readonly json?: boolean;
  /** What an earlier run printed with `--json`. */
  readonly against?: string;
  /** Where a picture of the figures is written. */
  readonly chart?: string;
}

const MOST_PASSAGES = 1_000_000;

/** Documents with their passages, by name. */
type Learned = ReadonlyMap<string, readonly PassageRecord[]>;
type QuestionFile = z.infer<typeof questionFileSchema>;

/**
 * Learns the documents that a file of questions is about, asks each question, and prints how often what should be found was.
 *
 * @throws ConfigError where the file, a folder or a document that it names isn't there or isn't as it should be.
 */
export async function evaluateDocuments(
  { variables, print, tell }: CommandContext,
  file: string,
  { config, misses = false, json = false, against, chart }: DocumentsEvalOptions,
): Promise<void> {
  const { content, lined } = await readYamlFile(file, questionFileSchema);
  const before = against === undefined ? null : await readKept(against);
  const named = config ?? variables.COUNTERSIGN_CONFIG ?? null;
  const isByItself = content.folders !== undefined && named === null && !existsSync(DEFAULT_FILE);
  const settings = isByItself ? null : await readDocumentSettings(named, variables);
  const folders =
    content.folders?.map((folder) => resolve(dirname(file), folder)) ??
    settings?.folders.map(({ folder }) => folder) ??
    [];
  const missing = folders.find((folder) => !existsSync(folder));
  if (missing !== undefined) throw new ConfigError(DOCUMENTS_EVAL.noFolder(missing));
  if (folders.length === 0) throw new ConfigError(DOCUMENTS_EVAL.noFolders(file));
  const index = openDocumentIndex(':memory:');
  const warn = (_details: object, message: string) => tell(message);
  const log = { info: () => {}, warn, error: warn };
  const knowledge = createKnowledge({
    folders,
    index,
    parse: createParseFile(),
    clock: Date.now,
    log,
    findReaders: async () => ({ place: { kind: 'program' }, readers: [EVERYBODY], notes: [] }),
  });
  try {
    await knowledge.start();
    const readable = (await index.list()).filter(({ problem }) => problem === null);
    const learned = new Map<string, readonly PassageRecord[]>();
    for (const { id, name } of readable) learned.set(name, await index.read(id, 1, MOST_PASSAGES));
    const problems = findUnfit(content.questions, learned).map(
      ({ path, problem }) => `${file}:${lined.lineOf(path)}: ${formatPath(path)}: ${problem}`,
    );
    if (problems.length > 0) throw new ConfigError(problems.join('\n'));
    const embeddings = settings?.embeddings ? createEmbeddings(settings.embeddings) : null;
    const contenders = await prepareContenders({ index, embeddings, readers: [EVERYBODY], log });
    const evaluated = await evaluate(content.questions, contenders, () => performance.now());
    const passages = readable.reduce((sum, document) => sum + document.passages, 0);
    const about = DOCUMENTS_EVAL.asked(content.questions.length, readable.length, passages);
    if (chart !== undefined) writeFileSync(chart, drawChart(evaluated, about));
    if (json) return print(JSON.stringify({ contenders: evaluated }, null, 2));
    const lines = describeEvaluation(evaluated, { questions: content.questions, before, misses });
    print([about, '', ...lines].join('\n'));
  } finally {
    await knowledge.stop();
  }
}

/** @throws ConfigError where it isn't what `--json` printed. */
async function readKept(path: string) {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new ConfigError(DOCUMENTS_EVAL.noKept(path));
  });
  try {
    return keptEvaluationSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new ConfigError(DOCUMENTS_EVAL.notKept(path), error);
  }
}

/** What should be found and isn't in the documents, so that no search could find it. */
function findUnfit(questions: QuestionFile['questions'], learned: Learned) {
  return questions.flatMap(({ finds }, question) =>
    finds.flatMap((target, at) => {
      const found = describeUnfit(target, learned);
      return found === null
        ? []
        : [{ path: ['questions', question, 'finds', at, found.key], problem: found.problem }];
    }),
  );
}

function describeUnfit(
  { document, section, page }: QuestionFile['questions'][number]['finds'][number],
  learned: Learned,
): { readonly key: string; readonly problem: string } | null {
  const passages = learned.get(document);
  if (!passages)
    return { key: 'document', problem: DOCUMENTS_EVAL.noDocument(document, [...learned.keys()]) };
  if (page !== undefined && !passages.some((passage) => passage.page === page))
    return { key: 'page', problem: DOCUMENTS_EVAL.noPage(document, page) };
  const words = section?.toLowerCase() ?? '';
  const isThere = passages.some(
    (passage) =>
      (page === undefined || passage.page === page) && passage.section.toLowerCase().includes(words),
  );
  const sections = [...new Set(passages.map((passage) => passage.section))].filter((text) => text !== '');
  return isThere ? null : { key: 'section', problem: DOCUMENTS_EVAL.noSection(document, sections) };
}
