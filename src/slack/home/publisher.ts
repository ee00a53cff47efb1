import type { WebClient } from '@slack/web-api';
import { errorMessage } from '../../lib/errors.ts';
import { createPeriodic, type Periodic } from '../../lib/periodic.ts';
import { scanIndex } from '../../storage/scan.ts';
import { put } from '../../storage/store.ts';
import { readSlackUser } from '../ids.ts';
import { homeChanges, homeFilters } from './collections.ts';
import { type HomeContentPorts, type HomePages, readHome } from './content.ts';
import { APPROVERS } from './enqueue.ts';
import type { HomeFilter } from './filter.ts';
import type { HomeList } from './paging.ts';

/** How often other processes' changes are looked for, in milliseconds. */
const LOOK_MS = 2_000;
/** How far two processes' clocks may differ, plus how late a sweep may be, in milliseconds. */
const LOOK_BACK_MS = 60_000;

const FIRST_PAGES: HomePages = { waiting: 0, asked: 0 };

interface HomesPorts extends HomeContentPorts {
  readonly client: WebClient;
  readonly log: { debug(details: object, message: string): void };
}

/**
 * Publishes the Homes that were opened through this process. Slack doesn't say when one is closed, so they
 * are kept current until the process ends, whichever process changes what they show: it leaves a change note
 * in the store.
 */
export class Homes {
  readonly #ports: HomesPorts;
  readonly #opened = new Map<string, HomePages>();
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
    return this.#changeSweep.stop();
  }

  /** Shows somebody their Home and keeps it current. Rejects with Slack's or the store's error. */
  open(actorId: string): Promise<void> {
    return this.#publish(actorId, FIRST_PAGES);
  }

  /** Turns the page of one list. Rejects with Slack's or the store's error. */
  turn(actorId: string, list: HomeList, page: number): Promise<void> {
    const pages = this.#opened.get(actorId) ?? FIRST_PAGES;
    return this.#publish(actorId, { ...pages, [list]: page });
  }

  /** Filters this person's waiting calls from now on. Rejects with Slack's or the store's error. */
  async filter(actorId: string, filter: HomeFilter): Promise<void> {
    await this.#ports.store.commit({ put: [put(homeFilters, actorId, { filter })] });
    await this.#publish(actorId, { ...(this.#opened.get(actorId) ?? FIRST_PAGES), waiting: 0 });
  }

  /** Updates somebody's Home. Never rejects: a Home that fails to update is updated when it is next opened. */
  async refresh(actorId: string): Promise<void> {
    if (actorId === APPROVERS) return this.#refreshAll();
    const { gate, log } = this.#ports;
    try {
      const standIns = this.#opened.size === 0 ? [] : await gate.delegation.activeDelegates(actorId);
      // While somebody is away, their calls wait for their delegates too.
      const shown = [actorId, ...standIns.map(({ id }) => id)].filter((id) => this.#opened.has(id));
      await Promise.all(shown.map((id) => this.#publish(id, this.#opened.get(id) ?? FIRST_PAGES)));
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

  /** Publishes a person's Home, one publish at a time, so that older data never overwrites newer. */
  #publish(actorId: string, pages: HomePages): Promise<void> {
    this.#opened.set(actorId, pages);
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
    const pages = this.#opened.get(actorId);
    if (user === null || !pages) return;
    // Read before the rest, which is then at least as new.
    const change = await this.#ports.store.get(homeChanges, actorId);
    if (change) this.#seen.set(actorId, change.version);
    const view = await readHome(this.#ports, actorId, pages);
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
