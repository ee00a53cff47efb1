// Measures how well the search through documents finds: of the FAQs' questions, or with a file of questions, of documents of
// one's own, as `countersign documents eval` does.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runProgram } from '../../src/app/commands/program.ts';
import { type Evaluated, evaluate } from '../../src/knowledge/evaluation/evaluate.ts';
import { describeEvaluation, drawChart, keptEvaluationSchema } from '../../src/knowledge/evaluation/index.ts';
import { meanMetrics, measureRanks } from '../../src/knowledge/evaluation/metrics.ts';
import { openFaqContenders } from './faq-contenders.ts';
import { faqFolder } from './faq-packages.ts';
import { readFaqSet } from './faq-set.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    misses: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    against: { type: 'string' },
    chart: { type: 'string' },
    words: { type: 'boolean', default: false },
    vectors: { type: 'string' },
  },
});
const print = (text: string) => void process.stdout.write(`${text}\n`);

if (positionals.length > 0) {
  process.exitCode =
    (await runProgram(['documents', 'eval', ...process.argv.slice(2)], process.env, async () => {})) ?? 0;
} else {
  await evaluateFaqs().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}

async function evaluateFaqs(): Promise<void> {
  const { documents, questions } = await readFaqSet(await faqFolder());
  const labelled = questions.map(({ ask, document, places }) => ({ ask, finds: [{ document, places }] }));
  const { words, vectors } = values;
  const { contenders, close } = await openFaqContenders(documents, {
    isWordsOnly: words,
    ...(vectors !== undefined && { cache: vectors }),
  });
  const evaluated = await evaluate(labelled, contenders, () => performance.now());
  await close();
  const passages = documents.reduce((sum, document) => sum + document.passages.length, 0);
  const about = `${labelled.length} questions of the FAQs of Python, Debian and git over ${passages} passages`;
  if (values.chart !== undefined) writeFileSync(values.chart, drawChart(evaluated, about));
  if (values.json) return print(JSON.stringify({ contenders: evaluated }, null, 2));
  const before =
    values.against === undefined
      ? null
      : keptEvaluationSchema.parse(JSON.parse(readFileSync(values.against, 'utf8')));
  const shown = { questions: labelled, before, misses: values.misses };
  print([about, '', ...describeEvaluation(evaluated, shown)].join('\n'));
  // What was tuned was tuned by one half alone: on the other it must be as good.
  const half = (at: number) => evaluated.map((one) => takePart(one, (index) => index % 2 === at));
  const alone = { questions: labelled, before: null, misses: false };
  print(['', 'The half that may be tuned by', ...describeEvaluation(half(0), alone)].join('\n'));
  print(['', 'The other half', ...describeEvaluation(half(1), alone)].join('\n'));
}

function takePart(whole: Evaluated, isIn: (index: number) => boolean): Evaluated {
  const questions = whole.questions.filter((_, index) => isIn(index));
  return { ...whole, ...meanMetrics(questions.map(({ ranks }) => measureRanks(ranks))), questions };
}
