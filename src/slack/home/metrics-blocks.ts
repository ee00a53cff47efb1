import type { KnownBlock, RichTextElement } from '@slack/types';
import type { RuleMetrics } from '../../gate/types.ts';
import { clip } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { DURATION } from '../../presentation/texts.ts';
import { bold, context, plain, richText, section, text } from '../text/block-kit.ts';
import { METRICS } from '../texts/home.ts';
import type { MetricsView } from './approval-metrics.ts';

/** The most rules listed for a period; the rest is counted. */
const LISTED = 10;

/** The approval metrics, rule by rule: for admins. */
export function metricsBlocks({ week, month, ofLatest }: MetricsView): KnownBlock[] {
  const about = ofLatest === null ? '' : METRICS.ofLatest(ofLatest);
  return [
    { type: 'header', block_id: 'header:health', text: plain(METRICS.title, 150) },
    richText('health:week', section(bold(METRICS.week), ...ruleLines(week))),
    richText('health:month', section(bold(METRICS.month), ...ruleLines(month))),
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
      : METRICS.waits(decided, wait(medianWaitMs), wait(p95WaitMs));
  const unread = unreadShare === null ? [] : [METRICS.unread(percent(unreadShare))];
  const expired = expiredShare === null ? [] : [METRICS.expired(percent(expiredShare))];
  const facts = [`${METRICS.decided(decided)}${waits}`, ...unread, ...expired].join('; ');
  return METRICS.rule(clip(visible(rule), 80), facts);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A duration with at most two digits: `0.8 s`, `45 s`, `12 min`, `3 h`, `2 days`. */
function wait(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return DURATION.seconds(Math.round(seconds * 10) / 10);
  if (seconds < 100) return DURATION.seconds(Math.round(seconds));
  if (seconds < 100 * 60) return DURATION.minutes(Math.round(seconds / 60));
  if (seconds < 48 * 3_600) return DURATION.hours(Math.round(seconds / 3_600));
  return DURATION.days(Math.round(seconds / 86_400));
}
