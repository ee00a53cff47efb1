import type { KnownBlock, RichTextElement } from '@slack/types';
import type { RuleMetrics } from '../../gate/types.ts';
import { clip } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { bold, context, plain, richText, section, text } from '../text/block-kit.ts';
import type { MetricsView } from './approval-metrics.ts';

/** The most rules listed for a period; the rest is counted. */
const LISTED = 10;

/** The approval metrics, rule by rule: for admins. */
export function metricsBlocks({ week, month, ofLatest }: MetricsView): KnownBlock[] {
  const about = ofLatest === null ? '' : ` Of the latest ${ofLatest} calls.`;
  return [
    { type: 'header', block_id: 'header:health', text: plain('Approval health', 150) },
    richText('health:week', section(bold('Last 7 days'), ...ruleLines(week))),
    richText('health:month', section(bold('Last 30 days'), ...ruleLines(month))),
    context('health:about', `For admins. Unread: approved within 3 s of being asked.${about}`),
  ];
}

function ruleLines(rules: readonly RuleMetrics[]): RichTextElement[] {
  if (rules.length === 0) return [text('\nNothing was decided, and nothing expired.')];
  const more = rules.length - LISTED;
  return [
    ...rules.slice(0, LISTED).map((rule) => text(`\n• ${describeFigures(rule)}`)),
    ...(more > 0 ? [text(`\n… and ${more} more`)] : []),
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
      ? []
      : [`median ${wait(medianWaitMs)}`, `p95 ${wait(p95WaitMs)}`];
  const unread = unreadShare === null ? [] : [`${percent(unreadShare)} unread`];
  const expired = expiredShare === null ? [] : [`${percent(expiredShare)} expired`];
  const facts = [`${decided} decided`, ...waits, ...unread, ...expired].join(' · ');
  return `${clip(visible(rule), 80)}: ${facts}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A duration with at most two digits: `0.8 s`, `45 s`, `12 min`, `3 h`, `2 days`. */
function wait(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
