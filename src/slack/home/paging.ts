import type { KnownBlock } from '@slack/types';
import type { CallRecord } from '../../gate/types.ts';
import { NOT_ALL } from '../../presentation/counts.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { actions, button, context } from '../text/block-kit.ts';

/** The two lists of calls in a Home. */
export type HomeList = 'waiting' | 'asked';

/**
 * Calls on one page of each list. With its divider a waiting call takes up to nine blocks and 16 kB: with all
 * else that a Home holds they stay inside Slack's 100 blocks and 250 kB.
 */
export const PAGE_SIZES: Readonly<Record<HomeList, number>> = { waiting: 8, asked: 10 };

/** One page of a list. */
export interface HomePage<Item> {
  readonly items: readonly Item[];
  /** From 0. */
  readonly at: number;
  /** How long the whole list is, as far as it was read. */
  readonly count: number;
  /** There is more than was read. */
  readonly isMore: boolean;
}

/** That page of what was read of a list; one that does not exist becomes the nearest that does. */
export function toPage<Item>(
  list: HomeList,
  read: readonly Item[],
  page: number,
  isMore: boolean,
): HomePage<Item> {
  const size = PAGE_SIZES[list];
  const at = Math.max(0, Math.min(page, Math.ceil(read.length / size) - 1));
  return { items: read.slice(at * size, (at + 1) * size), at, count: read.length, isMore };
}

/** "25", or "1,000+" where that is not all. */
export function countLabel({ count, isMore }: Pick<HomePage<unknown>, 'count' | 'isMore'>): string {
  return `${count.toLocaleString('en-US')}${isMore ? '+' : ''}`;
}

/** Buttons to the pages before and after, and what is there; nothing for a list of one page that is all there is. */
export function pagingBlocks(list: HomeList, page: HomePage<unknown>): KnownBlock[] {
  const size = PAGE_SIZES[list];
  const { at, count, isMore } = page;
  if (count <= size) return isMore ? [context(`where:${list}`, NOT_ALL)] : [];
  const after = count - (at + 1) * size;
  const back = at > 0 ? [button(`${ACTIONS.homePage}.back`, 'Back', `${list}:${at - 1}`)] : [];
  const on =
    after > 0
      ? [button(`${ACTIONS.homePage}.on`, `Show ${Math.min(after, size)} more`, `${list}:${at + 1}`)]
      : [];
  const where = `Page ${at + 1} of ${countLabel({ count: Math.ceil(count / size), isMore })}`;
  const left = after > 0 || isMore ? ` · and ${countLabel({ count: Math.max(0, after), isMore })} more` : '';
  return [context(`where:${list}`, `${where}${left}`), actions(`paging:${list}`, ...back, ...on)];
}

/** What waits longest stands first. */
export function oldestFirst(calls: readonly CallRecord[]): CallRecord[] {
  return calls.toSorted((a, b) => a.proposedAt - b.proposedAt || byOrdinal(a, b));
}

export function latestFirst(calls: readonly CallRecord[]): CallRecord[] {
  return calls.toSorted((a, b) => b.proposedAt - a.proposedAt || byOrdinal(a, b));
}

/** Calls that were asked for together stand in the order in which they were. */
function byOrdinal(a: CallRecord, b: CallRecord): number {
  return (a.ordinal ?? 0) - (b.ordinal ?? 0);
}
