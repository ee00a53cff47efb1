import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import { calls, requests } from '../../src/gate/store/collections.ts';
import type { CallRecord, RequestRecord } from '../../src/gate/types.ts';
import { recordKey } from '../../src/gate/types.ts';
import { reindex } from '../../src/storage/reindex.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { put } from '../../src/storage/store.ts';
import { freePort } from '../../test/fixtures/mcp/harness.ts';
import { createVisitor, signIn, type Visitor } from '../../test/helpers/web-visitor.ts';
import { API_KEY, type Bot, startOurs } from '../bots/start.ts';
import { quantile, round } from '../statistics.ts';
import { type Busyness, currentBusyness } from '../surroundings.ts';

/** Calls in the record: what a busy installation keeps of half a year. */
const CALLS = 100_000;
/** A call each two minutes until now. */
const END = Date.now();
const AT_ONCE = 500;
/** How often each page is asked for. */
const ROUNDS = 40;
const ANA = 'slack:T0LOCAL001:U0ANA00001';

interface PageFigures {
  readonly what: string;
  readonly p50: number;
  /** Absent in results of before it was measured. */
  readonly p95?: number;
  readonly max: number;
}

export interface FullRecord {
  readonly at: string;
  readonly busyness: Busyness;
  readonly calls: number;
  /** From the request to the end of its answer, over loopback, in milliseconds. */
  readonly pages: readonly PageFigures[];
  /**
   * Resident memory after a first round over all pages, and what was added by the first half of all further ones and by the
   * second, in bytes.
   */
  readonly residentBytes: number;
  readonly grownBytes: number;
  /** Absent in results of before it was measured. */
  readonly grownLaterBytes?: number;
}

/** What is read of a record of 100,000 calls, by one process on SQLite, one after another. */
export async function measureFullRecord(): Promise<FullRecord> {
  const busyness = currentBusyness();
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const bot = await startOurs('sqlite', {
    fill: fillRecord,
    env: (workspace) => {
      workspace.setRedirectUrls([`${url}/sign-in/slack/callback`]);
      return {
        PORT: port,
        PUBLIC_URL: url,
        SLACK_CLIENT_ID: workspace.clientId,
        SLACK_CLIENT_SECRET: workspace.clientSecret,
      };
    },
  });
  try {
    const pages = await listPages(bot, url);
    const times = pages.map((): number[] => []);
    const readAll = async (rounds: number) => {
      for (let round = 0; round < rounds; round += 1) {
        for (const [place, { read }] of pages.entries()) times[place]?.push(await read());
      }
      await after(1_000);
      return bot.residentBytes();
    };
    const first = await readAll(1);
    for (const its of times) its.length = 0;
    const [half, end] = [await readAll(ROUNDS / 2), await readAll(ROUNDS / 2)];
    const figures = pages.map(({ what }, place): PageFigures => {
      const its = times[place] ?? [];
      return { what, p50: quantile(its, 0.5), p95: quantile(its, 0.95), max: round(Math.max(...its)) };
    });
    return {
      at: new Date().toISOString(),
      busyness,
      calls: CALLS,
      pages: figures,
      residentBytes: first,
      grownBytes: half - first,
      grownLaterBytes: end - half,
    };
  } finally {
    await bot.close();
  }
}

interface ReadPage {
  readonly what: string;
  /** Resolves with how long it took, in milliseconds. */
  readonly read: () => Promise<number>;
}

/** What people and programs look for: what there is much of, little of and nothing of. */
const API = [
  ['/api/calls', 'the newest calls'],
  ['/api/calls?limit=200', 'the newest 200 calls'],
  ['/api/calls?status=failed', 'calls by state, 1 of 50'],
  ['/api/calls?tool=crm.*', 'calls by tool, 1 of 4'],
  ['/api/calls?tool=nothing.*', 'calls by tool, none'],
  [`/api/calls?actor=${ANA}`, 'calls by person'],
  ['/api/calls?session=s7', 'calls by session, 1 of 1,000'],
  ['/api/requests?status=open', 'requests that are open, none'],
  ['/api/requests', 'the newest requests'],
  ['/api/sessions', 'sessions'],
  ['/metrics', 'metrics'],
] as const;

/** Pages of the dashboard, as an admin sees them. */
const DASHBOARD = [
  ['/calls', 'all calls'],
  ['/calls?tool=crm.*', 'all calls by tool, 1 of 4'],
  ['/calls?state=failed', 'all calls by state, 1 of 50'],
  ['/calls?person=P+7', 'all calls by person, 1 of 20'],
  ['/calls?session=s7', 'all calls by session, 1 of 1,000'],
  ['/calls?tool=nothing', 'all calls by tool, none'],
  ['/calls?text=meeting', 'all calls by a text, each'],
  ['/calls?text=nowhere', 'all calls by a text, none'],
  ['/calls?which=decided', 'all calls that one decided, none'],
  [`/calls?to=${dayOf(50_000)}`, 'all calls until a day in the middle'],
  ['/sessions', 'sessions of all calls'],
  ['/sessions/timeline?program=key%3Abuilder&session=s7', 'the timeline of a session'],
  ['/approvals', 'approval health'],
  ['/health', 'health'],
  ['/spending', 'spending'],
  ['/connections', 'connections'],
  ['/audit', 'audit'],
  ['/keys', 'keys'],
] as const;
/** The same, as somebody sees them who is no admin. */
const OWN = [
  ['', 'the dashboard'],
  ['/calls', 'own calls'],
  ['/calls?tool=nothing', 'own calls by tool, none'],
  ['/sessions', 'sessions of own calls'],
] as const;

async function listPages(bot: Bot, url: string): Promise<readonly ReadPage[]> {
  const [ana, desk] = [createVisitor(), createVisitor()];
  const entered = [
    await signIn(ana, { driver: bot.workspace.driver }, 'ana', `${url}/dashboard`),
    await desk.visit(`${url}/sign-in/key`, { key: API_KEY }),
  ];
  const refused = entered.find(({ status }) => status !== 200);
  if (refused) throw new Error(`the dashboard answered ${refused.status}`);
  const headers = { authorization: `Bearer ${API_KEY}` };
  const pagesFor = (visitor: Visitor, pages: readonly (readonly [path: string, what: string])[]) =>
    pages.map(([path, what]) => ({
      what: `${what} (\`/dashboard${path}\`)`,
      read: () => timed(() => visitOk(visitor, `${url}/dashboard${path}`)),
    }));
  return [
    ...API.map(([path, what]) => ({
      what: `${what} (\`${path}\`)`,
      read: () => timed(() => fetchOk(`${url}${path}`, headers)),
    })),
    { what: 'deep: the page after 50,000 calls', read: await deepPage(url, headers) },
    ...pagesFor(ana, OWN),
    ...pagesFor(desk, DASHBOARD),
  ];
}

/** A page in the middle of all calls, by its cursor. */
async function deepPage(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<() => Promise<number>> {
  const middle = new Date(timeOf(CALLS / 2)).toISOString();
  const path = `${url}/api/calls?to=${encodeURIComponent(middle)}`;
  const { next_cursor: cursor } = answerSchema.parse(JSON.parse(await fetchOk(path, headers)));
  return () => timed(() => fetchOk(`${path}&cursor=${cursor}`, headers));
}

const answerSchema = z.object({ next_cursor: z.string() });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function visitOk(visitor: Visitor, url: string): Promise<void> {
  const { status } = await visitor.visit(url);
  if (status !== 200) throw new Error(`${url} answered ${status}`);
}

async function fetchOk(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return text;
}

function timeOf(place: number): number {
  return END - (CALLS - place) * 120_000;
}
function dayOf(place: number): string {
  return new Date(timeOf(place)).toISOString().slice(0, 10);
}

async function fillRecord(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const store = openSqliteStore({ path: join(dataDir, 'countersign.db') });
  for (let first = 0; first < CALLS; first += AT_ONCE) {
    const records = Array.from({ length: AT_ONCE }, (_, offset) => toRecords(first + offset));
    await store.commit({
      put: records.flatMap(({ call, request }) => [
        put(calls, recordKey(call), call),
        put(requests, request.requestId, request),
      ]),
    });
  }
  // As this version has opened it before, which rewrites what an earlier one has left.
  await reindex({ store }, { collection: calls, index: 'byThread' });
  await store.close();
}

const SERVERS = ['crm', 'calendar', 'mail', 'files'];

function toRecords(place: number): { readonly call: CallRecord; readonly request: RequestRecord } {
  const at = timeOf(place);
  const server = SERVERS[place % SERVERS.length] ?? 'crm';
  const person = place % 20;
  const requester =
    person === 0 ? { id: ANA, name: 'Ana' } : { id: `slack:T0LOCAL001:U${person}`, name: `P ${person}` };
  const failed = place % 50 === 0;
  const ids = {
    threadId: `slack:T0LOCAL001:C0GENERAL1:${place}.0`,
    runId: `run-${place}`,
    requestId: `request-${place}`,
  };
  const inputSchema = {
    type: 'object',
    properties: { title: { type: 'string' }, notes: { type: 'string' } },
  };
  const args = { title: `Entry ${place}`, notes: 'as they were agreed on in the meeting of last week' };
  const call: CallRecord = {
    ...ids,
    callId: `call-${place}`,
    kind: 'tool',
    tool: {
      server,
      name: 'create_entry',
      modelName: `${server}__create_entry`,
      title: 'Create entry',
      description: 'Creates an entry.',
      inputSchema,
      definitionHash: 'hash',
      destructive: false,
    },
    arguments: args,
    proposedArguments: args,
    digest: 'digest',
    verdict: { action: 'ask', rule: 'default', reason: null, policyVersion: '1' },
    state: failed ? 'failed' : 'succeeded',
    decision: { type: 'approve', actor: requester, at: at + 5_000, feedback: null },
    requester,
    program: { id: 'key:builder', name: 'Builder', session: `s${place % 1_000}` },
    proposedAt: at,
    ordinal: 0,
    attempt: 1,
    fence: 1,
    intentAt: at + 5_000,
    endedAt: at + 6_000,
    outcome: failed
      ? { status: 'failed', message: 'The server said no.', content: [] }
      : { status: 'succeeded', content: [{ type: 'text', text: `created ${place}` }], structured: null },
    need: null,
    elicitationAnswer: null,
  };
  const request: RequestRecord = {
    ...ids,
    interruptId: `interrupt-${place}`,
    requester,
    callIds: [call.callId],
    state: 'closed',
    createdAt: at,
    closedAt: at + 6_000,
  };
  return { call, request };
}
