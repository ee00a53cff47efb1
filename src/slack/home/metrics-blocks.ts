import type { KnownBlock, RichTextElement } from '@slack/types';
import type { RuleMetrics, RuleSuggestion } from '../../gate/types.ts';
import {
  describeRuleName,
  describeSuggestion,
  describeWait,
} from '../../presentation/approval-suggestions.ts';
import { bold, context, plain, richText, section, text } from '../text/block-kit.ts';
import { METRICS } from '../texts/home.ts';
import type { MetricsView } from './approval-metrics.ts';

/** The most rules listed for a period; the rest is counted. */
const LISTED = 10;

/** The approval metrics, rule by rule: for admins. */
export function metricsBlocks({ week, month, suggestions, ofLatest }: MetricsView): KnownBlock[] {
  const about = ofLatest === null ? '' : METRICS.ofLatest(ofLatest);
  return [
    { type: 'header', block_id: 'header:health', text: plain(METRICS.title, 150) },
    richText('health:week', section(bold(METRICS.week), ...ruleLines(week))),
    richText('health:month', section(bold(METRICS.month), ...ruleLines(month))),
    ...(suggestions.length === 0
      ? []
      : [richText('health:suggestions', section(...suggestionLines(suggestions)))]),
    context('health:about', `${METRICS.about}${about}`),
  ];
}

function ruleLines(rules: readonly RuleMetrics[]): RichTextElement[] {
  if (rules.length === 0) return [text(METRICS.nothing)];
  const more = rules.length - LISTED;
  return [
    ...rules.slice(0, LISTED).map((rule) => text(`\n• ${describeFigures(rule)}`)),
    ...(more > 0 ? [text(METRICS.more(more))] : []),
  ];
}

function suggestionLines(suggestions: readonly RuleSuggestion[]): RichTextElement[] {
  return [
    bold(METRICS.suggestions),
    ...suggestions.slice(0, LISTED).map((one) => text(`\n• ${describeSuggestion(one)}`)),
  ];
}

function describeFigures({
  rule,
  decided,
  medianWaitMs,
  p95WaitMs,
  unreadShare,
  expiredShare,
}: RuleMetrics): string {
  const waits =
    medianWaitMs === null || p95WaitMs === null
      ? ''
      : METRICS.waits(decided, describeWait(medianWaitMs), describeWait(p95WaitMs));
  const unread = unreadShare === null ? [] : [METRICS.unread(percent(unreadShare))];
  const expired = expiredShare === null ? [] : [METRICS.expired(percent(expiredShare))];
  const facts = [`${METRICS.decided(decided)}${waits}`, ...unread, ...expired].join('; ');
  return METRICS.rule(describeRuleName(rule), facts);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
