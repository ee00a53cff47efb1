import { describe, expect, it } from 'vitest';
import { describeEntry } from '../../../../src/http/web/admin/audit-words.ts';

const tool = 'calendar.create_event';
const nameOf = async (id: string) => (id === 'slack:T1:UANA' ? 'Ana' : id);
const limit = { kind: 'person', id: 'slack:T1:UANA', measure: 'calls', day: '2026-11-28' };

describe('the words of an entry of the audit', () => {
  it.each([
    ['decided', { decision: 'approve', tool }, `approved: ${tool}`],
    ['decided', { decision: 'edit', tool }, `edited and approved: ${tool}`],
    ['decided', { decision: 'reject', tool }, `rejected: ${tool}`],
    ['ended', { state: 'succeeded', tool }, `ended, done: ${tool}`],
    ['ended', { state: 'failed', tool }, `ended, failed: ${tool}`],
    ['asked', { tool }, `asked people: ${tool}`],
    ['scheduled', { when: 'every day at 09:00' }, 'scheduled something: every day at 09:00'],
    ['schedule_ended', { when: 'once', why: 'owner_left' }, 'ended a schedule: once'],
    ['limit_extended', { ...limit, amount: 50 }, 'allowed Ana 50 more tool calls for that day'],
    [
      'limit_extended',
      { ...limit, measure: 'cost', amount: 2_500_000 },
      'allowed Ana $2.50 more model cost for that day',
    ],
    ['limit_extended', { ...limit, amount: 0 }, 'took back what Ana was allowed besides for that day'],
  ] as const)('say what was done (%s, %o)', async (what, details, words) => {
    expect(await describeEntry({ what, details }, nameOf)).toBe(words);
  });

  it('of another version are those of its kind', async () => {
    expect(await describeEntry({ what: 'decided', details: { decision: 'constructor' } }, nameOf)).toBe(
      'decided',
    );
  });
});
