import type { ActionsBlock, PlainTextOption, StaticSelect } from '@slack/types';
import { z } from 'zod';
import { type CallRecord, oldestFirst } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { actions, LIMITS, option, plain } from '../text/block-kit.ts';
import { LIST } from '../texts/home.ts';
import { type AskedKind, askedKindSchema } from './asked-kinds.ts';
import { countLabel } from './paging.ts';

/** The filter on waiting calls: all, due soon, for one server, or requested by one person. */
export const homeFilterSchema = z.union([
  z.enum(['all', 'due']),
  z.templateLiteral([z.enum(['server:', 'requester:']), z.string().min(1)]),
]);
export type HomeFilter = z.infer<typeof homeFilterSchema>;

/** A call is due soon if it expires within this many milliseconds: a day. */
const SOON_MS = 86_400_000;
/**
 * The most servers and people to choose from, those with the most calls first; Slack takes a hundred options.
 */
const SERVERS = 30;
const REQUESTERS = 60;

/** The current choice, and the options. */
export interface FilterView {
  readonly chosen: HomeFilter;
  readonly options: readonly { readonly filter: HomeFilter; readonly label: string }[];
  /** How many calls wait in total, as far as they were read. */
  readonly of: number;
}

/** The filtered calls, in order: soonest deadline first for due soon, otherwise longest waiting first. */
export function applyFilter(calls: readonly CallRecord[], filter: HomeFilter, now: number): CallRecord[] {
  const shown = oldestFirst(calls.filter((call) => fits(call, filter, now)));
  return filter === 'due' ? shown.toSorted((a, b) => readDeadline(a) - readDeadline(b)) : shown;
}

function fits(call: CallRecord, filter: HomeFilter, now: number): boolean {
  if (filter === 'all') return true;
  if (filter === 'due') return readDeadline(call) <= now + SOON_MS;
  return filter === readServer(call) || filter === readRequester(call);
}

function readDeadline({ timing }: CallRecord): number {
  return timing?.decideBy ?? Number.POSITIVE_INFINITY;
}

function readServer({ tool }: CallRecord): HomeFilter {
  return `server:${tool.server}`;
}

function readRequester({ requester }: CallRecord): HomeFilter {
  return `requester:${requester.id}`;
}

/**
 * The options, with the number of calls for each; `nameOf` names a chosen requester without waiting calls.
 */
export function toFilterView(
  calls: readonly CallRecord[],
  chosen: HomeFilter,
  now: number,
  nameOf: (actorId: string) => string,
): FilterView {
  const names = new Map(calls.map((call) => [readRequester(call), call.requester.name]));
  const label = (filter: HomeFilter): string => {
    if (filter === 'all') return LIST.all;
    if (filter === 'due') return LIST.dueSoon;
    const name = filter.slice(filter.indexOf(':') + 1);
    return filter.startsWith('server:') ? name : LIST.askedBy(names.get(filter) ?? nameOf(name));
  };
  const servers = mostFirst(calls.map(readServer)).slice(0, SERVERS);
  const requesters = mostFirst(calls.map(readRequester)).slice(0, REQUESTERS);
  const usual: HomeFilter[] = ['all', 'due', ...servers, ...requesters];
  const offered = usual.includes(chosen) ? usual : [...usual, chosen];
  const counted = offered.map((filter) => ({
    filter,
    count: calls.filter((call) => fits(call, filter, now)).length,
  }));
  const options = counted
    // What has all of them, or none, is no choice.
    .filter(
      ({ filter, count }) => filter === chosen || filter === 'all' || (count > 0 && count < calls.length),
    )
    .map(({ filter, count }) => {
      return { filter, label: `${sentence(label(filter))} (${count.toLocaleString('en-US')})` };
    });
  // Values that Slack would refuse can't be options; they are under All.
  return {
    chosen,
    of: calls.length,
    options: options.filter(({ filter }) => filter.length <= LIMITS.optionText),
  };
}

function mostFirst(filters: readonly HomeFilter[]): HomeFilter[] {
  const groups = [...Map.groupBy(filters, (filter) => filter)];
  return groups.toSorted(([, a], [, b]) => b.length - a.length).map(([filter]) => filter);
}

/** The filter menu above the list; none where nothing is to choose. */
export function filterBlocks({ chosen, options }: FilterView): ActionsBlock[] {
  const choices = options.map(({ filter, label }) => option(label, filter));
  if (chosen === 'all' && options.length < 2) return [];
  return [actions('filter', menu(ACTIONS.homeFilter, LIST.filter, choices, chosen))];
}

/** What became of a person's own requests: the current choice, null for all, and those that there are any of. */
export interface AskedFilterView {
  readonly chosen: AskedKind | null;
  readonly kinds: readonly AskedKind[];
}

/** The filter menu above a person's own requests; none where it would change nothing. */
export function askedFilterBlocks({ chosen, kinds }: AskedFilterView): ActionsBlock[] {
  if (chosen === null && kinds.length < 2) return [];
  const offered = askedKindSchema.options.filter((kind) => kind === chosen || kinds.includes(kind));
  const choices = [option(LIST.all, 'all'), ...offered.map((kind) => option(LIST.kinds[kind], kind))];
  return [actions('filter:asked', menu(ACTIONS.askedFilter, LIST.askedFilter, choices, chosen ?? 'all'))];
}

function menu(
  actionId: string,
  name: string,
  choices: readonly PlainTextOption[],
  chosen: string,
): StaticSelect {
  const initial = choices.find(({ value }) => value === chosen);
  return {
    type: 'static_select',
    action_id: actionId,
    // Screen readers use it as the menu's name.
    placeholder: plain(name, LIMITS.placeholder),
    options: [...choices],
    ...(initial ? { initial_option: initial } : {}),
  };
}

/** The headline above the list: `Waiting for you (3)`, `Waiting for you (3 of 1,000)`. */
export function waitingHeadline(
  { count, isMore }: { readonly count: number; readonly isMore: boolean },
  filter: FilterView | null,
): string {
  const all = filter?.of ?? count;
  const isNarrowed = filter !== null && filter.chosen !== 'all';
  if (isNarrowed && all > 0) {
    return LIST.waitingFiltered(countLabel({ count, isMore: false }), countLabel({ count: all, isMore }));
  }
  if (count > 0) return LIST.waiting(countLabel({ count, isMore }));
  return isMore ? LIST.nothingFound : LIST.nothing;
}
