import { html } from 'hono/html';
import { computeApprovalMetrics, suggestForRules } from '../../../gate/index.ts';
import type { ApprovalSample, Grant, PolicyRule, RuleMetrics, RuleSuggestion } from '../../../gate/types.ts';
import {
  describeRuleName,
  describeSuggestion,
  describeWait,
} from '../../../presentation/approval-suggestions.ts';
import { dateAt, startOfDay } from '../../../presentation/text/dates.ts';
import { formatDay } from '../../../presentation/text/time.ts';
import { nameTool } from '../../../presentation/text/title.ts';
import { visible } from '../../../presentation/text/visible.ts';
import type { Html } from '../pages/layout.ts';
import { barChart, card, table } from './parts.ts';
import type { AdminPorts } from './ports.ts';
import { changeRule } from './rule-change.ts';
import type { AdminShell } from './shell.ts';
import { APPROVALS } from './texts.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAYS = 30;
/** The most calls that are read, latest first. */
const LOOKED_AT = 5_000;

/** Approval health: what people did with each rule's questions, and what that suggests. */
export function approvalsPage(shell: AdminShell, ports: AdminPorts): void {
  shell.show('approvals', async () => {
    const now = ports.clock();
    const since = now - DAYS * DAY_MS;
    const [facts, grants] = await Promise.all([
      ports.gate.calls.approvalFacts(since, LOOKED_AT),
      ports.gate.grants.unused(),
    ]);
    const rules = computeApprovalMetrics(facts, since);
    return {
      body: html`<p class="soft">${APPROVALS.about(DAYS)}${facts.length < LOOKED_AT ? null : APPROVALS.ofLatest(LOOKED_AT)}</p>
${card(APPROVALS.suggestions, html`<p class="soft">${APPROVALS.notApplied}</p>`, suggestionList(rules, grants, ports.rules))}
${card(APPROVALS.rules, rulesTable(rules))}
${card(APPROVALS.perDay, perDay(facts, now, ports.timeZone))}`,
    };
  });
}

function suggestionList(
  rules: readonly RuleMetrics[],
  grants: readonly Grant[],
  policy: readonly PolicyRule[],
) {
  const found = suggestForRules(rules);
  if (found.length + grants.length === 0) return html`<p>${APPROVALS.noSuggestions}</p>`;
  return html`<ul class="suggestions">${found.map((one) => suggestionItem(one, policy))}${grants.map(
    ({ by, tool }) => html`<li>${APPROVALS.unusedGrant(visible(by.name), nameTool(tool))}</li>`,
  )}</ul>`;
}

function suggestionItem(suggestion: RuleSuggestion, policy: readonly PolicyRule[]): Html {
  const changed = changeRule(suggestion, policy);
  const yaml =
    changed === null
      ? null
      : html`<details><summary class="small">${APPROVALS.asYaml}</summary><pre>${changed}</pre><p class="small soft">${APPROVALS.tryIt} <code>${APPROVALS.replay}</code></p></details>`;
  return html`<li>${describeSuggestion(suggestion)}${yaml}</li>`;
}

function rulesTable(rules: readonly RuleMetrics[]): Html {
  const rows = rules.map(({ rule, decided, approved, expired, unread, medianWaitMs }) => [
    describeRuleName(rule),
    String(decided + expired),
    String(approved),
    String(decided - approved),
    String(expired),
    String(unread),
    medianWaitMs === null ? '–' : describeWait(medianWaitMs),
  ]);
  return table({ caption: APPROVALS.rules, headings: APPROVALS.headings, rows, empty: APPROVALS.nothing });
}

function perDay(facts: readonly ApprovalSample[], now: number, timeZone: string): Html {
  const days = Array.from({ length: DAYS }, (_, index) => {
    const at = now - (DAYS - 1 - index) * DAY_MS;
    return { label: formatDay(at, timeZone), from: startOfDay(dateAt(at, timeZone), timeZone) };
  });
  const counts = days.map(() => 0);
  for (const { askedAt } of facts) {
    // By the instants at which days begin: to name the day of each call would take longer than all else.
    const place = days.findLastIndex(({ from }) => from <= askedAt);
    if (place >= 0) counts[place] = (counts[place] ?? 0) + 1;
  }
  const bars = days.map(({ label }, index) => ({ label, value: counts[index] ?? 0 }));
  return barChart(APPROVALS.chart, bars, APPROVALS.chartHeadings);
}
