import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import {
  applyFilter,
  filterBlocks,
  type HomeFilter,
  homeFilterSchema,
  toFilterView,
  waitingHeadline,
} from '../../../../src/slack/home/filter.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { callRecord, nastyString } from '../cards/fixtures.ts';

const NOW = Date.UTC(2026, 10, 23, 8);
const HOUR = 3_600_000;
const ana = { id: 'slack:T1:U1', name: 'Ana' };
const bob = { id: 'slack:T1:U2', name: 'Bob' };

function waiting(callId: string, server: string, requester = ana, endsIn: number | null = null): CallRecord {
  const { tool, timing: _usual, ...call } = callRecord();
  const timing = {
    decideBy: endsIn === null ? null : NOW + endsIn,
    answerBy: null,
    askedSince: 0,
    nextRungAt: null,
    climbed: [],
    extended: [],
  };
  return {
    ...call,
    callId,
    tool: { ...tool, server },
    requester,
    timing,
    proposedAt: Number(callId.slice(1)),
  };
}

const calls = [
  waiting('c1', 'ledger', bob, 30 * HOUR),
  waiting('c2', 'calendar', ana, 20 * HOUR),
  waiting('c3', 'ledger', ana, HOUR),
  waiting('c4', 'ledger', ana),
];
const readIds = (filter: HomeFilter) => applyFilter(calls, filter, NOW).map(({ callId }) => callId);
const viewOf = (chosen: HomeFilter, of: readonly CallRecord[] = calls) =>
  toFilterView(of, chosen, NOW, (id) => `<${id}>`);

describe('what somebody wants to see in Home', () => {
  it.each<[HomeFilter, string[]]>([
    ['all', ['c1', 'c2', 'c3', 'c4']],
    ['due', ['c3', 'c2']],
    ['server:ledger', ['c1', 'c3', 'c4']],
    ['server:led', []],
    ['requester:slack:T1:U2', ['c1']],
  ])('of %s is %j', (filter, ids) => {
    expect(readIds(filter)).toEqual(ids);
  });

  it('is chosen from what waits, with how many there are, those with the most first', () => {
    expect(viewOf('all').options.map(({ label }) => label)).toEqual([
      'All (4)',
      'Due within a day (2)',
      'ledger (3)',
      'calendar (1)',
      'Asked by Ana (3)',
      'Asked by Bob (1)',
    ]);
  });

  it('has a name for those who do not see where it stands', () => {
    expect(filterBlocks(viewOf('all'))[0]?.elements[0]).toMatchObject({
      placeholder: { text: 'Filter waiting calls' },
    });
  });

  it('stays chosen, and named, when nothing of it waits any more', () => {
    const left = viewOf('requester:slack:T1:U9', calls);
    expect(left.options.at(-1)).toEqual({
      filter: 'requester:slack:T1:U9',
      label: 'Asked by <slack:T1:U9> (0)',
    });
    expect(filterBlocks(left)[0]?.elements[0]).toMatchObject({
      initial_option: { value: 'requester:slack:T1:U9' },
    });
  });

  it('is not asked for where there is nothing to choose from', () => {
    expect(filterBlocks(viewOf('all', calls.slice(0, 1)))).toEqual([]);
    expect(filterBlocks(viewOf('due', []))).toHaveLength(1);
  });

  it.each<[HomeFilter, number, string]>([
    ['all', 4, 'Waiting for you (4)'],
    ['server:ledger', 3, 'Waiting for you (3 of 4)'],
    ['server:gone', 0, 'Waiting for you (0 of 4)'],
  ])('says of %s that it is not all', (filter, count, words) => {
    expect(waitingHeadline({ count, isMore: false }, viewOf(filter))).toBe(words);
  });

  it('says nothing of others where nothing waits', () => {
    expect(waitingHeadline({ count: 0, isMore: false }, viewOf('due', []))).toBe(
      'Nothing is waiting for you',
    );
    expect(waitingHeadline({ count: 0, isMore: true }, null)).toBe('Found nothing that is waiting for you');
  });

  it('fits Slack, whatever servers and people are called', () => {
    const many = fc.array(fc.tuple(nastyString, nastyString), { minLength: 2, maxLength: 150 });
    fc.assert(
      fc.property(many, (names) => {
        const of = names.map(([server, name], index) =>
          waiting(`c${index}`, server, { id: `slack:T1:U${index}`, name }),
        );
        const blocks = filterBlocks(viewOf('all', of));
        assertView({ type: 'home', blocks });
      }),
      { numRuns: 50 },
    );
  });

  it.each(['everything', 'server:', 'requester', ''])('is none of %j', (value) => {
    expect(homeFilterSchema.safeParse(value).success).toBe(false);
  });
});
