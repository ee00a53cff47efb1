import type { WebClient } from '@slack/web-api';
import type { Gate } from '../../gate/index.ts';
import type { CallRecord } from '../../gate/types.ts';
import { waitsForPerson } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { errorMessage } from '../../lib/errors.ts';
import { createPeriodic } from '../../lib/periodic.ts';
import type { HeldTools, ServerStatus } from '../../mcp/ports.ts';
import type { PersonalConnections } from '../../oauth/ports.ts';
import type { ExamplesFor } from '../../presentation/example-prompts.ts';
import { scanIndex } from '../../storage/scan.ts';
import { put, type Store } from '../../storage/store.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import type { CallView } from '../cards/call-view.ts';
import { readSlackUser } from '../ids.ts';
import { hasCard } from '../outbox/enqueue.ts';
import type { ThreadUrl } from '../permalinks.ts';
import type { Views } from '../views/call-views.ts';
import type { PermissionsView } from '../views/types.ts';
import type { MetricsView } from './approval-metrics.ts';
import { homeChanges, homeFilters } from './collections.ts';
import { APPROVERS } from './enqueue.ts';
import { applyFilter, type HomeFilter, toFilterView } from './filter.ts';
import { type HomeList, type HomePage, latestFirst, toPage } from './paging.ts';
import { homeView } from './view.ts';

/** The most calls read for each of a Home's two lists; beyond that it says there is more. */
const WAITING_READ = 1_000;
const ASKED_READ = 200;
/** How often other processes' changes are looked for, in milliseconds. */
const LOOK_MS = 2_000;
/** How far two processes' clocks may differ, plus how late a sweep may be, in milliseconds. */
const LOOK_BACK_MS = 60_000;

/** The current page of each list in a Home, from 0. */
export type HomePages = Readonly<Record<HomeList, number>>;
const FIRST_PAGES: HomePages = { waiting: 0, asked: 0 };

export interface HomesPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly client: WebClient;
  readonly gate: Gate;
  readonly views: Views;
  readonly servers: () => readonly ServerStatus[];
  readonly connections: Pick<PersonalConnections, 'list'>;
  readonly tools: () => Promise<readonly ToolDefinition[]>;
  readonly examples: ExamplesFor;
  readonly botName: () => string;
  /** An actor's name; their id where it isn't known. */
  readonly nameOf: (actorId: string) => Promise<string>;
  /** Somebody's grants and delegations. */
  readonly permissions: (actorId: string) => Promise<PermissionsView>;
  /** Tools that wait for a review; null for somebody who isn't an admin. */
  readonly reviews: (actorId: string) => Promise<readonly HeldTools[] | null>;
  /** The approval metrics; null for somebody who isn't an admin. */
  readonly health: (actorId: string) => Promise<MetricsView | null>;
  /** The links to threads. */
  readonly threadUrl: ThreadUrl;
  readonly log: { debug(details: object, message: string): void };
}

/**
 * Publishes the Homes that were opened through this process. Slack doesn't say when one is closed, so they
 * are kept current until the process ends, whichever process changes what they show: it leaves a change note
 * in the store.
 */
export function createHomes(ports: HomesPorts) {
  const opened = new Map<string, HomePages>();
  /** By person: the publish that runs now or ran last, and the one that has yet to read the record. */
  const turns = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  /** By person: the version of the newest change note that their Home already reflects. */
  const seen = new Map<string, number>();
  let serversShown = '';
  let following = Promise.resolve();
  let isAllDue = false;
  // Logs nothing when it fails: a store that can't be read now is read again in a moment.
  const changeSweep = createPeriodic({ name: 'Home sweep', everyMs: LOOK_MS, run: look });

  /** Publishes a person's Home, one publish at a time, so that older data never overwrites newer. */
  function publish(actorId: string, pages: HomePages): Promise<void> {
    opened.set(actorId, pages);
    const due = next.get(actorId);
    if (due) return due;
    const turn = (turns.get(actorId) ?? Promise.resolve()).then(() => {
      next.delete(actorId);
      return show(actorId);
    });
    next.set(actorId, turn);
    turns.set(
      actorId,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async function show(actorId: string): Promise<void> {
    const user = readSlackUser(actorId);
    const pages = opened.get(actorId);
    if (user === null || !pages) return;
    // Read before the rest, which is then at least as new.
    const change = await ports.store.get(homeChanges, actorId);
    if (change) seen.set(actorId, change.version);
    const [waiting, asked, tools, health, permissions, wanted, connections, reviews] = await Promise.all([
      ports.gate.calls.inbox(actorId, WAITING_READ + 1),
      ports.gate.calls.requestedBy(actorId, ASKED_READ + 1),
      ports.tools(),
      ports.health(actorId),
      ports.permissions(actorId),
      ports.store.get(homeFilters, actorId),
      ports.connections.list({ id: actorId, name: actorId }),
      ports.reviews(actorId),
    ]);
    const chosen = wanted?.value.filter ?? 'all';
    const all = waiting.calls.slice(0, WAITING_READ).filter(waitsForPerson);
    const now = ports.clock();
    const waits = applyFilter(all, chosen, now);
    const name = chosen.startsWith('requester:') ? await ports.nameOf(chosen.slice('requester:'.length)) : '';
    const isMore = waiting.isMore || waiting.calls.length > WAITING_READ;
    const carded = latestFirst(asked.slice(0, ASKED_READ).filter(isListed));
    await ports.client.views.publish({
      user_id: user,
      view: homeView({
        botName: ports.botName(),
        waiting: await inViews(toPage('waiting', waits, pages.waiting, isMore)),
        filter: toFilterView(all, chosen, now, () => name),
        asked: await inViews(toPage('asked', carded, pages.asked, asked.length > ASKED_READ)),
        servers: ports.servers(),
        tools,
        connections: { connections, timeZone: permissions.timeZone },
        examples: ports.examples(tools),
        permissions,
        reviews,
        health,
        threadUrl: ports.threadUrl,
      }),
    });
  }

  /** Looks up names only for the page that is shown. */
  async function inViews({ items, ...page }: HomePage<CallRecord>): Promise<HomePage<CallView>> {
    return { ...page, items: await ports.views.calls(items) };
  }

  /** Refreshes all Homes, one after the other. One further pass covers whatever changes until it starts. */
  function refreshAll(): void {
    if (isAllDue) return;
    isAllDue = true;
    following = following.then(async () => {
      isAllDue = false;
      for (const actorId of [...opened.keys()]) await refresh(actorId);
    });
  }

  /** Never rejects: a Home that fails to update is updated when it is next opened. */
  async function refresh(actorId: string): Promise<void> {
    if (actorId === APPROVERS) return refreshAll();
    try {
      const standIns = opened.size === 0 ? [] : await ports.gate.delegation.activeDelegates(actorId);
      // While somebody is away, their calls wait for their delegates too.
      const shown = [actorId, ...standIns.map(({ id }) => id)].filter((id) => opened.has(id));
      await Promise.all(shown.map((id) => publish(id, opened.get(id) ?? FIRST_PAGES)));
    } catch (error) {
      ports.log.debug({ error: errorMessage(error) }, 'a Home was not refreshed');
    }
  }

  async function look(): Promise<void> {
    if (opened.size === 0) return;
    const since = { from: [ports.clock() - LOOK_BACK_MS] };
    for await (const { id, version } of scanIndex(ports.store, homeChanges, 'byTime', since)) {
      if (seen.get(id) === version) continue;
      if (id === APPROVERS || !opened.has(id)) seen.set(id, version);
      void refresh(id);
    }
  }

  return {
    /** Shows somebody their Home and keeps it current. Rejects with Slack's or the store's error. */
    open: (actorId: string): Promise<void> => publish(actorId, FIRST_PAGES),

    /** Turns the page of one list. Rejects with Slack's or the store's error. */
    turn(actorId: string, list: keyof HomePages, page: number): Promise<void> {
      const pages = opened.get(actorId) ?? FIRST_PAGES;
      return publish(actorId, { ...pages, [list]: page });
    },

    /** Filters this person's waiting calls from now on. Rejects with Slack's or the store's error. */
    async filter(actorId: string, filter: HomeFilter): Promise<void> {
      await ports.store.commit({ put: [put(homeFilters, actorId, { filter })] });
      await publish(actorId, { ...(opened.get(actorId) ?? FIRST_PAGES), waiting: 0 });
    },

    refresh,

    /**
     * Updates the Homes of people whose permissions changed without any call having changed, here and in
     * other processes. Never rejects: the change itself stands.
     */
    async changed(actorIds: readonly string[]): Promise<void> {
      const at = ports.clock();
      const notes = [...new Set(actorIds)].map((id) => put(homeChanges, id, { at }));
      await ports.store
        .commit({ put: notes })
        .catch((error: unknown) =>
          ports.log.debug({ error: errorMessage(error) }, 'a Home was not refreshed'),
        );
      for (const id of actorIds) void refresh(id);
    },

    /** Updates the servers in all Homes, one Home after the other. */
    refreshServers(): void {
      const servers = JSON.stringify(ports.servers());
      // A server that stays down is retried over and over, without a visible change.
      if (servers === serversShown) return;
      serversShown = servers;
      following = following.then(async () => {
        for (const actorId of [...opened.keys()]) {
          if (servers !== serversShown) return;
          await refresh(actorId);
        }
      });
    },

    start: (): void => void changeSweep.start(),
    stop: changeSweep.stop,
  };
}
export type Homes = ReturnType<typeof createHomes>;

function isListed(call: CallRecord): boolean {
  return hasCard(call) && call.kind === 'tool';
}
