import type { WebClient } from '@slack/web-api';
import { errorMessage } from '../../lib/errors.ts';
import { createPeriodic, type Periodic } from '../../lib/periodic.ts';
import { scanIndex } from '../../storage/scan.ts';
import { put } from '../../storage/store.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { readSlackUser } from '../ids.ts';
import type { AskedKind } from './asked-kinds.ts';
import { homeChanges, homeFilters } from './collections.ts';
import { type HomeContentPorts, type HomePages, readHome } from './content.ts';
import { APPROVERS } from './enqueue.ts';
import type { HomeFilter } from './filter.ts';
import type { HomeList } from './paging.ts';

/** How often other processes' changes are looked for, in milliseconds. */
const LOOK_MS = 2_000;
/** How far two processes' clocks may differ, plus how late a sweep may be, in milliseconds. */
const LOOK_BACK_MS = 60_000;
/**
 * How long a Home is kept current after it was last opened or used, in milliseconds: Slack doesn't say when
 * people look away, and it is published anew when they open it.
 */
const LOOKED_AT_MS = 600_000;
/** The shortest time between two publishes that the person didn't ask for, in milliseconds. */
const PACE_MS = 10_000;
/** How long a change waits for those that follow it, in milliseconds. */
const SETTLE_MS = 1_000;
/** The share of the rate limit that is left to Homes that people open and use. */
const RESERVE = 0.5;

const FIRST_PAGES: HomePages = { waiting: 0, asked: 0, kind: null };

interface HomesPorts extends HomeContentPorts {
  readonly client: WebClient;
  /** The free share of a method's rate limit, from 0 to 1. */
  readonly room: (method: string) => number;
  readonly log: { debug(details: object, message: string): void };
}

/** A Home that was opened. Times are in milliseconds since the epoch. */
interface OpenHome {
  pages: HomePages;
  usedAt: number;
  /** When it was last published, unless the person has used it since; else 0. */
  publishedAt: number;
  /** The refresh that waits for its time. */
  refresh: NodeJS.Timeout | undefined;
}

/**
 * Publishes the Homes that were opened through this process. They are kept current for a while, whichever
 * process changes what they show: it leaves a change note in the store.
 */
export class Homes {
  readonly #ports: HomesPorts;
  readonly #opened = new Map<string, OpenHome>();
  /** By person: the publish that runs now or ran last, and the one that has yet to read the record. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();
  /** By person: the version of the newest change note that their Home already reflects. */
  readonly #seen = new Map<string, number>();
  readonly #changeSweep: Periodic;
  #serversShown = '';
  #following = Promise.resolve();
  #isAllDue = false;

  constructor(ports: HomesPorts) {
    this.#ports = ports;
    // Logs nothing when it fails: a store that can't be read now is read again in a moment.
    this.#changeSweep = createPeriodic({ name: 'Home sweep', everyMs: LOOK_MS, run: () => this.#look() });
  }

  start(): void {
    void this.#changeSweep.start();
  }

  stop(): Promise<void> {
    for (const { refresh } of this.#opened.values()) clearTimeout(refresh);
    return this.#changeSweep.stop();
  }

  /** Shows somebody their Home and keeps it current. Rejects with Slack's or the store's error. */
  open(actorId: string): Promise<void> {
    return this.#use(actorId, FIRST_PAGES);
  }

  /** Notes that somebody used their Home: what comes of it is shown at once. */
  used(actorId: string): void {
    const home = this.#opened.get(actorId);
    if (home) Object.assign(home, { usedAt: this.#ports.clock(), publishedAt: 0 });
  }

  /** Turns the page of one list. Rejects with Slack's or the store's error. */
  turn(actorId: string, list: HomeList, page: number): Promise<void> {
    const pages = this.#opened.get(actorId)?.pages ?? FIRST_PAGES;
    return this.#use(actorId, { ...pages, [list]: page });
  }

  /** Filters this person's waiting calls from now on. Rejects with Slack's or the store's error. */
  async filter(actorId: string, filter: HomeFilter): Promise<void> {
    await this.#ports.store.commit({ put: [put(homeFilters, actorId, { filter })] });
    await this.#use(actorId, { ...(this.#opened.get(actorId)?.pages ?? FIRST_PAGES), waiting: 0 });
  }

  /** Lists only this person's requests of one kind, as long as they look at their Home; null: all of them. */
  filterAsked(actorId: string, kind: AskedKind | null): Promise<void> {
    return this.#use(actorId, { ...(this.#opened.get(actorId)?.pages ?? FIRST_PAGES), asked: 0, kind });
  }

  /**
   * Updates somebody's Home soon, if they have lately looked at it. Never rejects: a Home that fails to
   * update is updated when it is next opened.
   */
  async refresh(actorId: string): Promise<void> {
    if (actorId === APPROVERS) return this.#refreshAll();
    const { gate, log } = this.#ports;
    try {
      const standIns = this.#opened.size === 0 ? [] : await gate.delegation.activeDelegates(actorId);
      // While somebody is away, their calls wait for their delegates too.
      for (const id of [actorId, ...standIns.map(({ id }) => id)]) this.#refreshSoon(id);
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'failed to refresh a Home');
    }
  }

  /**
   * Updates the Homes of people whose permissions changed without any call having changed, here and in
   * other processes. Never rejects: the change itself stands.
   */
  async changed(actorIds: readonly string[]): Promise<void> {
    const { store, clock, log } = this.#ports;
    const at = clock();
    const notes = [...new Set(actorIds)].map((id) => put(homeChanges, id, { at }));
    await store
      .commit({ put: notes })
      .catch((error: unknown) => log.debug({ error: errorMessage(error) }, 'failed to refresh a Home'));
    for (const id of actorIds) void this.refresh(id);
  }

  /** Updates the servers in all Homes, one Home after the other. */
  refreshServers(): void {
    const servers = JSON.stringify(this.#ports.servers());
    // A server that stays down is retried over and over, without a visible change.
    if (servers === this.#serversShown) return;
    this.#serversShown = servers;
    this.#following = this.#following.then(async () => {
      for (const actorId of [...this.#opened.keys()]) {
        if (servers !== this.#serversShown) return;
        await this.refresh(actorId);
      }
    });
  }

  #use(actorId: string, pages: HomePages): Promise<void> {
    clearTimeout(this.#opened.get(actorId)?.refresh);
    this.#opened.set(actorId, { pages, usedAt: this.#ports.clock(), publishedAt: 0, refresh: undefined });
    return this.#publish(actorId);
  }

  #refreshSoon(actorId: string): void {
    const home = this.#opened.get(actorId);
    if (!home) return;
    const now = this.#ports.clock();
    if (now - home.usedAt > LOOKED_AT_MS) {
      clearTimeout(home.refresh);
      this.#opened.delete(actorId);
      return;
    }
    const publish = () => {
      home.refresh = undefined;
      if (this.#ports.room('views.publish') < RESERVE) return this.#refreshSoon(actorId);
      this.#publish(actorId).catch((error: unknown) => {
        this.#ports.log.debug({ error: errorMessage(error) }, 'failed to refresh a Home');
        if ('waitMs' in classifyFailure(error)) this.#refreshSoon(actorId);
      });
    };
    const waitMs = Math.max(SETTLE_MS, home.publishedAt + PACE_MS - now);
    home.refresh ??= setTimeout(publish, waitMs).unref();
  }

  /** Publishes a person's Home, one publish at a time, so that older data never overwrites newer. */
  #publish(actorId: string): Promise<void> {
    const due = this.#next.get(actorId);
    if (due) return due;
    const turn = (this.#turns.get(actorId) ?? Promise.resolve()).then(() => {
      this.#next.delete(actorId);
      return this.#show(actorId);
    });
    this.#next.set(actorId, turn);
    this.#turns.set(
      actorId,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async #show(actorId: string): Promise<void> {
    const user = readSlackUser(actorId);
    const home = this.#opened.get(actorId);
    if (user === null || !home) return;
    // Read before the rest, which is then at least as new.
    const change = await this.#ports.store.get(homeChanges, actorId);
    if (change) this.#seen.set(actorId, change.version);
    home.publishedAt = this.#ports.clock();
    const view = await readHome(this.#ports, actorId, home.pages);
    await this.#ports.client.views.publish({ user_id: user, view });
  }

  /** Refreshes all Homes, one after the other. One further pass covers whatever changes until it starts. */
  #refreshAll(): void {
    if (this.#isAllDue) return;
    this.#isAllDue = true;
    this.#following = this.#following.then(async () => {
      this.#isAllDue = false;
      for (const actorId of [...this.#opened.keys()]) await this.refresh(actorId);
    });
  }

  async #look(): Promise<void> {
    if (this.#opened.size === 0) return;
    const { store, clock } = this.#ports;
    const since = { from: [clock() - LOOK_BACK_MS] };
    for await (const { id, version } of scanIndex(store, homeChanges, 'byTime', since)) {
      if (this.#seen.get(id) === version) continue;
      if (id === APPROVERS || !this.#opened.has(id)) this.#seen.set(id, version);
      void this.refresh(id);
    }
  }
}
