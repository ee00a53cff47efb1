import type { ActionsBlock, StaticSelect } from '@slack/types';
import { z } from 'zod';
import type { CallRecord } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { actions, LIMITS, option, plain } from '../text/block-kit.ts';
import { countLabel, oldestFirst } from './paging.ts';

/** Of what waits, what somebody wants to see: what is due soon, what goes to one server, or what one person asked for. */
export const homeFilterSchema = z.union([
  z.enum(['all', 'due']),
  z.templateLiteral([z.enum(['server:', 'requester:']), z.string().min(1)]),
]);
export type HomeFilter = z.infer<typeof homeFilterSchema>;

/** Due soon is what ends within so many milliseconds: a day. */
const SOON_MS = 86_400_000;
/** Servers and people that can be chosen, those with the most first; Slack takes a hundred options. */
const SERVERS = 30;
const REQUESTERS = 60;

/** What is chosen, and what could be. */
export interface FilterView {
  readonly chosen: HomeFilter;
  readonly options: readonly { readonly filter: HomeFilter; readonly label: string }[];
  /** How much waits in all, as far as it was read. */
  readonly of: number;
}

/** What of the calls somebody wants to see, in the order in which they want it: what is due first, else what waits longest. */
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

/** The choice that somebody has, with how many calls there are of each; `nameOf` a requester of whom nothing waits. */
export function toFilterView(
  calls: readonly CallRecord[],
  chosen: HomeFilter,
  now: number,
  nameOf: (actorId: string) => string,
): FilterView {
  const names = new Map(calls.map((call) => [readRequester(call), call.requester.name]));
  const label = (filter: HomeFilter): string => {
    if (filter === 'all') return 'All';
    if (filter === 'due') return 'Due within a day';
    const name = filter.slice(filter.indexOf(':') + 1);
    return filter.startsWith('server:') ? name : `Asked by ${names.get(filter) ?? nameOf(name)}`;
  };
  const servers = mostFirst(calls.map(readServer)).slice(0, SERVERS);
  const requesters = mostFirst(calls.map(readRequester)).slice(0, REQUESTERS);
  const usual: HomeFilter[] = ['all', 'due', ...servers, ...requesters];
  const offered = usual.includes(chosen) ? usual : [...usual, chosen];
  const options = offered.map((filter) => {
    const count = calls.filter((call) => fits(call, filter, now)).length;
    return { filter, label: `${sentence(label(filter))} (${count.toLocaleString('en-US')})` };
  });
  // What Slack would refuse cannot be chosen; it is under All.
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

/** The menu above the list; none where one call or none waits and everything is shown. */
export function filterBlocks({ chosen, options, of }: FilterView): ActionsBlock[] {
  const choices = options.map(({ filter, label }) => option(label, filter));
  const initial = choices.find(({ value }) => value === chosen);
  if (chosen === 'all' && of < 2) return [];
  const select: StaticSelect = {
    type: 'static_select',
    action_id: ACTIONS.homeFilter,
    // It is also what screen readers call the menu.
    placeholder: plain('Which of what waits is shown', LIMITS.placeholder),
    options: choices,
    ...(initial ? { initial_option: initial } : {}),
  };
  return [actions('filter', select)];
}

/** What stands above the list: `Waiting for you (3)`, `Waiting for you (3 of 1,000)`. */
export function waitingHeadline(
  { count, isMore }: { readonly count: number; readonly isMore: boolean },
  filter: FilterView | null,
): string {
  const all = filter?.of ?? count;
  const isNarrowed = filter !== null && filter.chosen !== 'all';
  if (isNarrowed && all > 0) {
    return `Waiting for you (${countLabel({ count, isMore: false })} of ${countLabel({ count: all, isMore })})`;
  }
  if (count > 0) return `Waiting for you (${countLabel({ count, isMore })})`;
  return `Nothing ${isMore ? 'found that ' : ''}waits for you`;
}
