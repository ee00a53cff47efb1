import type { RuleMetrics, RuleSuggestion } from '../gate/types.ts';
import { clip } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { DURATION, SUGGESTION } from './texts.ts';

/** The longest name of a rule that is written out, in characters. */
const NAME_LENGTH = 80;

/** A suggestion as a sentence with the figures that it comes from, and the rule in front. */
export function describeSuggestion({ kind, metrics }: RuleSuggestion): string {
  return SUGGESTION.about(describeRuleName(metrics.rule), describeChange(kind, metrics));
}

/** A rule's name, as it can be shown. */
export function describeRuleName(rule: string): string {
  return clip(visible(rule), NAME_LENGTH);
}

function describeChange(
  kind: RuleSuggestion['kind'],
  { decided, unread, expired, medianWaitMs }: RuleMetrics,
): string {
  switch (kind) {
    case 'allow':
      return SUGGESTION.allow(unread, decided);
    case 'deny':
      return SUGGESTION.deny(decided);
    case 'more_approvers_or_time':
      return SUGGESTION.moreApproversOrTime(expired, decided + expired);
    case 'more_approvers':
      return SUGGESTION.moreApprovers(describeWait(medianWaitMs ?? 0));
  }
}

/** A duration with at most two digits: `0.8 s`, `45 s`, `12 min`, `3 h`, `2 days`. */
export function describeWait(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return DURATION.seconds(Math.round(seconds * 10) / 10);
  if (seconds < 100) return DURATION.seconds(Math.round(seconds));
  if (seconds < 100 * 60) return DURATION.minutes(Math.round(seconds / 60));
  if (seconds < 48 * 3_600) return DURATION.hours(Math.round(seconds / 3_600));
  return DURATION.days(Math.round(seconds / 86_400));
}
