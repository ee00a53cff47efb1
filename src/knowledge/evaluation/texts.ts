/** The texts of an evaluation of the search through documents. */

import { formatCount } from '../../lib/count.ts';
import type { FoundPlace, Target } from './metrics.ts';

function amount(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

function placed({ document, section, page }: Target | FoundPlace): string {
  const under = section === undefined || section === '' ? [] : [section];
  const on = page === undefined || page === null ? [] : [`page ${page}`];
  return [document, ...on, ...under].join(', ');
}

export const EVALUATION = {
  median: 'median',
  milliseconds: (ms: number) => `${ms < 10 ? ms.toFixed(1) : formatCount(Math.round(ms))} ms`,
  missed: (name: string, missed: number, all: number) =>
    `${name}: ${missed} of ${amount(all, 'question')} found nothing of what they should among the first 8.`,
  miss: (ask: string, finds: readonly Target[], first: FoundPlace | null) =>
    `  ${ask}\n      should find ${finds.map(placed).join('; ')}\n      ${first === null ? 'nothing was found' : `first is ${placed(first)}`}`,
  change: (name: string, ask: string, isFoundNow: boolean) =>
    `${isFoundNow ? '+' : '−'} ${name}: ${ask}${isFoundNow ? '' : ' (no longer found)'}`,
  chartTitle: 'How well questions find what they should',
} as const;
