import type { KnownBlock } from '@slack/types';
import { NOT_ALL } from '../../presentation/texts.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { actions, button, context } from '../text/block-kit.ts';
import { LIST } from '../texts/home.ts';

/** The two lists of calls in a Home. */
export type HomeList = 'waiting' | 'asked';

/**
 * Calls on one page of each list. With its divider, a waiting call takes up to nine blocks and 16 kB, so a
 * full Home stays inside Slack's 100 blocks and 250 kB.
 */
export const PAGE_SIZES: Readonly<Record<HomeList, number>> = { waiting: 8, asked: 10 };

/** One page of a list. */
export interface HomePage<Item> {
  readonly items: readonly Item[];
  /** The page's index, from 0. */
  readonly at: number;
  /** The length of the whole list, as far as it was read. */
  readonly count: number;
  /** Whether there is more than was read. */
  readonly isMore: boolean;
}

/** One page of a list; a page that doesn't exist becomes the nearest one that does. */
export function toPage<Item>(
  list: HomeList,
  read: readonly Item[],
  page: number,
  { isMore }: { readonly isMore: boolean },
): HomePage<Item> {
  const size = PAGE_SIZES[list];
  const at = Math.max(0, Math.min(page, Math.ceil(read.length / size) - 1));
  return { items: read.slice(at * size, (at + 1) * size), at, count: read.length, isMore };
}

/** The count as text: "25", or "1,000+" where there may be more. */
export function countLabel({ count, isMore }: Pick<HomePage<unknown>, 'count' | 'isMore'>): string {
  return `${count.toLocaleString('en-US')}${isMore ? '+' : ''}`;
}

/** The paging buttons, and what the page shows; nothing for a list that fits one page completely. */
export function pagingBlocks(list: HomeList, page: HomePage<unknown>): KnownBlock[] {
  const size = PAGE_SIZES[list];
  const { at, count, isMore } = page;
  if (count <= size) return isMore ? [context(`where:${list}`, NOT_ALL)] : [];
  const after = count - (at + 1) * size;
  const back = at > 0 ? [button(`${ACTIONS.homePage}.back`, LIST.back, `${list}:${at - 1}`)] : [];
  const on =
    after > 0
      ? [button(`${ACTIONS.homePage}.on`, LIST.showMore(Math.min(after, size)), `${list}:${at + 1}`)]
      : [];
  const where = LIST.page(at + 1, countLabel({ count: Math.ceil(count / size), isMore }));
  const left = after > 0 || isMore ? LIST.andMore(countLabel({ count: Math.max(0, after), isMore })) : '';
  return [context(`where:${list}`, `${where}${left}`), actions(`paging:${list}`, ...back, ...on)];
}
