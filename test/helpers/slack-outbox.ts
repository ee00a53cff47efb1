import type { SlackEmulatorOptions } from '@countersign/slack-emulator';
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { expect, onTestFinished, vi } from 'vitest';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { type OutboxItem, type OutboxRow, outbox as rows } from '../../src/slack/outbox/collections.ts';
import type { DirectCopies } from '../../src/slack/outbox/direct-copies.ts';
import { createFiles } from '../../src/slack/outbox/files.ts';
import { createOutbox } from '../../src/slack/outbox/outbox.ts';
import { PostedMessages } from '../../src/slack/outbox/posted-messages.ts';
import { createListRaiser } from '../../src/slack/outbox/raise-list.ts';
import { type RateLimit, toRateLimit } from '../../src/slack/outbox/rate-limit.ts';
import type { Rendered } from '../../src/slack/outbox/render.ts';
import { rowId } from '../../src/slack/outbox/rows.ts';
import type { Message } from '../../src/slack/text/block-kit.ts';
import { noNudges } from '../../src/storage/lease/nudges.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { put, type Store } from '../../src/storage/store.ts';
import { createNudges } from './nudges.ts';
import { startWorkspace, webClient } from './workspace.ts';

export const call = (callKey: string): OutboxItem => ({ kind: 'call', callKey });
export const answer = (itemId: string): OutboxItem => ({ kind: 'answer', itemId });

export function said(text: string, blocks: KnownBlock[] = []): Message<KnownBlock> {
  return { text, blocks: [{ type: 'section', text: { type: 'plain_text', text } }, ...blocks] };
}

/** What Slack refuses: an actions block without elements. */
export const refused = (text: string) => said(text, [{ type: 'actions', elements: [] }]);

interface OutboxOptions {
  /** Default: so fast that no test waits for it. */
  readonly rateLimit?: RateLimit;
  /** Of the stand-in for Slack; default: off. */
  readonly rates?: SlackEmulatorOptions['rates'];
}

/** The outbox over the stand-in for Slack, with a record that the test writes by hand. */
export async function openOutbox({ rateLimit = toRateLimit(9_999), rates = 'off' }: OutboxOptions = {}) {
  const workspace = await startWorkspace({ rates });
  const { driver } = workspace;
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const threads = {
    general: driver.as('ana').post('general', 'hello'),
    ops: driver.as('ana').post('ops', 'hello'),
  };
  const channels = { general: 'C0GENERAL1', ops: 'C0OPS00001' };
  type Place = keyof typeof channels;
  const threadId = (place: Place) => `slack:T0LOCAL001:${channels[place]}:${threads[place]}`;

  /** What the record says of each thing to show, by row id. */
  const world = new Map<string, Rendered | Error | (() => Promise<Rendered | null>)>();
  const streams = new Map<string, string>();
  /** The calls whose files are shown, by their keys. */
  const answered = new Map<string, CallRecord>();
  /** The requests that threads wait on, by thread id. */
  const waiting = new Map<string, { readonly requestId: string; readonly callIds: string[] }>();
  const logged: string[] = [];
  /** What a conversation took nothing of, as `row id error`. */
  const refusals: string[] = [];
  const direct: DirectCopies = {
    refused: async (row, error) => void refusals.push(`${rowId(row.show)} ${error}`),
    mayHaveCopies: async () => false,
    shown: async () => {},
  };
  let at = 1_000;

  let owners = 0;
  const nudges = createNudges();
  /**
   * `othersLive`: leases of the outboxes before are waited for, as they are when those still run. `isAlone`: there is
   * no other process. `reach`: how it calls Slack. `dies`: it can't be stopped at the end of the test.
   */
  const start = (
    over: Store = store,
    { othersLive = false, isAlone = false, dies = false, reach = (client: WebClient) => client } = {},
  ) => {
    owners += 1;
    const client = reach(webClient(workspace));
    const outbox = createOutbox({
      store: over,
      clock: Date.now,
      holder: { owner: `process ${owners}`, isGone: () => !othersLive },
      nudges: isAlone ? noNudges : nudges.join(),
      posts: new PostedMessages({ store: over, client }),
      files: createFiles({
        store: over,
        client,
        call: async (key) => answered.get(key) ?? null,
        bytes: async (_threadId, { name }) => Buffer.from(name),
        log: { warn: log },
      }),
      rateLimit,
      timeUntilCall: () => 0,
      async render(row) {
        const shown = world.get(rowId(row.show)) ?? null;
        if (shown instanceof Error) throw shown;
        return typeof shown === 'function' ? shown() : shown;
      },
      renderRefused: async (row) => ({
        messages: [said(`${rowId(row.show)} cannot be shown here`)],
        onlyUpdate: false,
      }),
      direct,
      raiseList: createListRaiser({
        store: over,
        clock: Date.now,
        openIn: async (threadId) => waiting.get(threadId) ?? null,
      }),
      onShown: () => undefined,
      finishStream: async (row) => {
        const ts = streams.get(rowId(row.show)) ?? null;
        streams.delete(rowId(row.show));
        return ts;
      },
      log: { error: (details) => log(details), warn: (details) => log(details) },
    });
    if (!dies) onTestFinished(() => outbox.stop());
    return outbox;
  };
  const log = (details: object) => void logged.push('error' in details ? String(details.error) : '');

  /** Writes rows in one commit, as an event does. */
  const announce = (place: Place, ...shows: readonly OutboxItem[]) =>
    announceIn(threadId(place), place, ...shows);
  const announceIn = async (thread: string, place: Place, ...shows: readonly OutboxItem[]): Promise<void> => {
    at += 1;
    const puts = shows.map((show, index) => {
      const row: OutboxRow = {
        channel: channels[place],
        threadId: thread,
        at: at + index / 1000,
        show,
      };
      return put(rows, rowId(show), row);
    });
    await store.commit({ put: puts });
  };
  const show = (it: OutboxItem, ...messages: readonly Message<KnownBlock>[]) =>
    world.set(rowId(it), { messages, onlyUpdate: false });
  const listMessages = (place: Place) =>
    driver.messages(place, { threadTs: threads[place] }).filter((message) => message.byApp);
  const outbox = start();
  const wake = (place: Place, due?: { readonly dueInMs: number }) => outbox.wake(channels[place], due);
  const emptied = () =>
    vi.waitFor(async () => expect((await store.query(rows, 'byTurn', {}, 10)).items).toEqual([]), {
      timeout: 10_000,
      interval: 10,
    });
  /** Has these shown in the thread; done when nothing is left to show anywhere. */
  const deliver = async (place: Place, ...shows: readonly OutboxItem[]): Promise<void> => {
    await announce(place, ...shows);
    wake(place);
    await emptied();
  };
  return {
    workspace,
    driver,
    store,
    world,
    streams,
    answered,
    waiting,
    logged,
    refusals,
    direct,
    outbox,
    nudges,
    start,
    announce,
    /** As `announce`, for a thread of another id in the same place. */
    announceIn,
    client: webClient(workspace),
    show,
    channels,
    threads,
    threadId,
    wake,
    /** Writes rows and wakes the outbox. */
    async post(place: Place, ...shows: readonly OutboxItem[]): Promise<void> {
      await announce(place, ...shows);
      wake(place);
    },
    deliver,
    /** Has this shown as these messages; done when nothing is left to show anywhere. */
    async present(place: Place, it: OutboxItem, ...messages: readonly Message<KnownBlock>[]): Promise<void> {
      show(it, ...messages);
      await deliver(place, it);
    },
    /** The app's messages in the thread, as they are now. */
    shown: (place: Place) => listMessages(place).map(({ text }) => text),
    listMessages,
    emptied,
  };
}
export type OutboxScene = Awaited<ReturnType<typeof openOutbox>>;
