import { z } from 'zod';
import { type Evaluated, isMissed, type LabelledQuestion } from './evaluate.ts';
import type { Metrics } from './metrics.ts';
import { EVALUATION } from './texts.ts';

const place = z.object({
  document: z.string(),
  place: z.number(),
  page: z.number().nullable(),
  section: z.string(),
});
/** An evaluation that was kept as JSON, to compare later ones with. */
export const keptEvaluationSchema = z.object({
  contenders: z.array(
    z.object({
      name: z.string(),
      hit1: z.number(),
      hit8: z.number(),
      ndcg10: z.number(),
      mrr: z.number(),
      medianMs: z.number(),
      questions: z.array(
        z.object({ ask: z.string(), ranks: z.array(z.number().nullable()), first: place.nullable() }),
      ),
    }),
  ),
});
type KeptEvaluation = z.infer<typeof keptEvaluationSchema>;

/** The metrics that are shown, by their names in the literature. */
export const METRIC_NAMES: Readonly<Record<keyof Metrics, string>> = {
  hit1: 'hit@1',
  hit8: 'hit@8',
  ndcg10: 'nDCG@10',
  mrr: 'MRR',
};
const METRICS = ['hit1', 'hit8', 'ndcg10', 'mrr'] as const satisfies readonly (keyof Metrics)[];

interface Shown {
  readonly questions: readonly LabelledQuestion[];
  /** An earlier evaluation, which this one is compared with; null where there's none. */
  readonly before: KeptEvaluation | null;
  /** Whether each missed question is listed. */
  readonly misses: boolean;
}

/** An evaluation as people read it, in lines. */
export function describeEvaluation(
  contenders: readonly Evaluated[],
  { questions, before, misses }: Shown,
): readonly string[] {
  const changes = before === null ? [] : contenders.flatMap((one) => describeChanges(one, before));
  return [
    ...describeFigures(contenders, before),
    ...(changes.length > 0 ? ['', ...changes] : []),
    ...(misses ? contenders.flatMap((one) => ['', ...describeMisses(one, questions)]) : []),
  ];
}

/** A table with a line for each contender, and how far each figure is from what it was. */
function describeFigures(contenders: readonly Evaluated[], before: KeptEvaluation | null): readonly string[] {
  const rows = contenders.map((now) => {
    const then = before?.contenders.find(({ name }) => name === now.name);
    const figures = METRICS.map((metric) => {
      const change = then === undefined ? '' : ` (${signed(now[metric] - then[metric])})`;
      return `${now[metric].toFixed(3)}${change}`;
    });
    return [now.name, ...figures, EVALUATION.milliseconds(now.medianMs)];
  });
  const head = ['', ...METRICS.map((metric) => METRIC_NAMES[metric]), EVALUATION.median];
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => (row[at] ?? '').length)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('   '),
  );
}

/** The questions of a contender that find nothing of what they should, each with what it finds first in its place. */
function describeMisses(
  { name, questions: asked }: Evaluated,
  questions: readonly LabelledQuestion[],
): readonly string[] {
  const missed = asked.flatMap((question, at) => (isMissed(question) ? [{ question, at }] : []));
  return [
    EVALUATION.missed(name, missed.length, asked.length),
    ...missed.map(({ question, at }) =>
      EVALUATION.miss(question.ask, questions[at]?.finds ?? [], question.first),
    ),
  ];
}

/** The questions that a contender finds now and didn't before, and those that it no longer finds. */
function describeChanges(now: Evaluated, before: KeptEvaluation): readonly string[] {
  const then = before.contenders.find(({ name }) => name === now.name)?.questions ?? [];
  const wasMissed = new Map(then.map((question) => [question.ask, isMissed(question)]));
  return now.questions.flatMap((question) => {
    const was = wasMissed.get(question.ask);
    if (was === undefined || was === isMissed(question)) return [];
    return [EVALUATION.change(now.name, question.ask, was)];
  });
}

/** As `+0.012`; what rounds to nothing is `±0.000`. */
function signed(change: number): string {
  const text = Math.abs(change).toFixed(3);
  return `${text === '0.000' ? '±' : change > 0 ? '+' : '−'}${text}`;
}
