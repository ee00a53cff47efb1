import { once } from 'node:events';
import { type Grant, grants } from '../../src/gate/grants/record.ts';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { put, type Store } from '../../src/storage/store.ts';
import { startRedis } from '../../test/helpers/redis.ts';
import { openOfficialSaver } from '../official-saver.ts';
import { stockContender } from '../stock.ts';
import { ANA, tools } from '../tool.ts';
import { newThread, turn } from '../turns.ts';
import { type OpenCore, openCore, type Storage } from './open-core.ts';
import { keysOf, nameThreads, serverCpuMs } from './redis-server.ts';

/** Something of one size that turns are taken of. */
export interface Subject {
  turn(): Promise<unknown>;
  /** Processor time so far of the storage's own process, in milliseconds. */
  storageCpuMs(): Promise<number>;
  /** Bytes that the storage holds for each of what grows; null where that is no question. */
  readonly bytesEach: number | null;
  close(): Promise<void>;
}

export interface GrowthCase {
  /** What there is more and more of, and where. */
  readonly what: string;
  /** Ascending. */
  readonly sizes: readonly number[];
  /** The largest exponent that is wanted; null for what is measured for comparison. */
  readonly wanted: number | null;
  open(size: number): Promise<Subject>;
}

export interface GrowthSizes {
  readonly rounds: number;
  /** Turns in a round for each size. */
  readonly turns: number;
  /** Threads, finished or waiting, by storage. */
  readonly threads: Readonly<Record<Storage, readonly number[]>>;
  readonly lengths: readonly number[];
  /** Rules, grants, audit entries. */
  readonly things: readonly number[];
  readonly tools: readonly number[];
  /** Of the official saver, for comparison; none where there is no time for it. */
  readonly official: readonly number[];
}

export const FULL_GROWTH: GrowthSizes = {
  rounds: 5,
  turns: 2,
  threads: { sqlite: [5, 50, 500, 5_000], redis: [10, 100, 1_000, 10_000] },
  lengths: [10, 40, 150, 500],
  things: [5, 50, 500, 2_000],
  tools: [4, 16, 64, 128],
  official: [5, 50, 500, 2_000],
};
export const QUICK_GROWTH: GrowthSizes = {
  rounds: 1,
  turns: 2,
  threads: { sqlite: [5, 100], redis: [5, 100] },
  lengths: [5, 30],
  things: [],
  tools: [],
  official: [],
};

/** No more than twice the CPU over three powers of ten: what the machine's unrest leaves room for. */
const FLAT = 0.1;

/** What is measured; what has no sizes is left out. */
export function casesOf({
  threads,
  lengths,
  things,
  tools: offered,
  official,
}: GrowthSizes): readonly GrowthCase[] {
  const storages = [
    ['sqlite', 'on SQLite'],
    ['redis', 'on Redis'],
  ] as const;
  const cases: readonly GrowthCase[] = [
    ...storages.flatMap(([storage, where]): GrowthCase[] => [
      {
        what: `finished threads in the store, ${where}`,
        sizes: threads[storage],
        wanted: FLAT,
        open: async (size) => amongOthers(await openCore(storage), size, turn),
      },
      {
        what: `requests that wait, ${where}`,
        sizes: threads[storage],
        wanted: FLAT,
        open: async (size) =>
          amongOthers(await openCore(storage), size, ({ propose }, threadId) => propose(threadId)),
      },
      {
        what: `turns of the thread, ${where}`,
        sizes: lengths,
        wanted: FLAT,
        open: async (size) => afterTurns(await openCore(storage), size),
      },
    ]),
    {
      what: 'audit entries of other threads, on SQLite',
      sizes: things,
      wanted: FLAT,
      open: async (size) => {
        return amongOthers(await openCore('sqlite'), size, turn, (name) => name.startsWith('audit'));
      },
    },
    {
      what: 'grants of the person, for other tools',
      sizes: things,
      wanted: FLAT,
      open: async (size) => {
        const core = await openCore('sqlite');
        await giveGrants(core.store, size);
        return subject(core);
      },
    },
    {
      what: 'rules of the policy, none of which fits',
      sizes: things,
      wanted: FLAT,
      open: async (size) => {
        const rules = Array.from({ length: size }, (_, index) => ({
          tools: `mail.send_${index}`,
          action: 'ask',
        }));
        return subject(await openCore('sqlite', { rules }));
      },
    },
    {
      what: 'tools that the model is offered',
      sizes: offered,
      wanted: FLAT,
      open: async (size) => {
        const others = Array.from({ length: size - 1 }, (_, index) =>
          tools.map((tool) => ({ ...tool, name: `tool_${index}`, modelName: `tool_${index}` })),
        );
        return subject(await openCore('sqlite', { tools: [...tools, ...others.flat()] }));
      },
    },
    {
      what: 'finished threads in the store, createAgent with the official RedisSaver',
      sizes: official,
      wanted: null,
      open: officialAmongOthers,
    },
  ];
  return cases.filter(({ sizes }) => sizes.length > 0);
}

/** Turns on new threads, or on the one of that name. */
function subject(
  core: OpenCore,
  { threadId, bytesEach = null }: { threadId?: string; bytesEach?: number | null } = {},
): Subject {
  const { contender, storageCpuMs, close } = core;
  return {
    async turn() {
      await turn(contender, threadId);
      await contender.idle();
    },
    storageCpuMs,
    bytesEach,
    close,
  };
}

/** New threads among so many copies of one with which that was done. */
async function amongOthers(
  core: OpenCore,
  size: number,
  work: (contender: OpenCore['contender'], threadId: string) => Promise<unknown>,
  only?: (collection: string) => boolean,
): Promise<Subject> {
  const threadId = newThread();
  await work(core.contender, threadId);
  await core.contender.idle();
  const before = await core.bytes();
  await core.clone({ threadId, count: size, ...(only && { only }) });
  return subject(core, { bytesEach: ((await core.bytes()) - before) / size });
}

async function afterTurns(core: OpenCore, size: number): Promise<Subject> {
  const threadId = newThread();
  await turn(core.contender);
  const before = await core.bytes();
  for (let count = 0; count < size; count++) await turn(core.contender, threadId);
  await core.contender.idle();
  return subject(core, { threadId, bytesEach: ((await core.bytes()) - before) / size });
}

async function giveGrants(store: Store, count: number): Promise<void> {
  const now = Date.now();
  const grant = (index: number): Grant => ({
    grantId: `grant-${index}`,
    by: ANA,
    tool: { server: 'calendar', name: `tool_${index}`, title: 'Another tool' },
    definitionHash: 'bench',
    fixed: {},
    free: ['title', 'start'],
    place: { kind: 'requester', requester: ANA },
    threadId: 'other',
    callId: `call-${index}`,
    at: now,
    until: now + 86_400_000,
    limit: 1_000,
    used: 0,
    usedAt: null,
    ended: null,
  });
  await store.commit({
    put: Array.from({ length: count }, (_, index) => put(grants, `grant-${index}`, grant(index))),
  });
}

/** Of the others only the names of the keys are there, so that they fit into this machine: this flatters it. */
async function officialAmongOthers(size: number): Promise<Subject> {
  const server = await startRedis();
  const client = connectRedis(server.url);
  await once(client, 'ready');
  const saver = await openOfficialSaver(server.url);
  const contender = stockContender('stock', saver);
  const threadId = newThread();
  await turn(contender, threadId);
  await nameThreads(client, { keys: await keysOf(client, threadId), threadId, count: size });
  return {
    turn: () => turn(contender),
    storageCpuMs: () => serverCpuMs(client),
    bytesEach: null,
    async close() {
      await saver.end();
      await closeRedis(client);
      await server.dispose();
    },
  };
}
