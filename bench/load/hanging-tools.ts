import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { isHumanMessage, isToolMessage } from '@langchain/core/messages';
import { wordsOnly } from '../../src/agents/shared/speakers.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import type { Actor } from '../../src/gate/types.ts';
import type { Surface } from '../../src/runs/index.ts';
import { carryCheckpoints } from '../../src/storage/checkpoints/carry.ts';
import { SqliteSaver } from '../../src/storage/checkpoints/sqlite/saver.ts';
import { openSqliteFile } from '../../src/storage/sqlite/file.ts';
import { storeInFile } from '../../src/storage/sqlite/store.ts';
import { createCore } from '../../test/helpers/core.ts';
import { createFakeHub, slowTool } from '../../test/helpers/fake-hub.ts';
import { ScriptedModel } from '../../test/helpers/scripted-model.ts';
import { quantile } from '../statistics.ts';
import { type Busyness, currentBusyness } from '../surroundings.ts';

/** More than a process has workers. */
const HANGING = 70;
const MESSAGES = 60;
/** How long the model takes while somebody floods us, and while nobody does, in milliseconds: real ones take longer. */
const MODEL_MS = 250;
const SLOWLY = 'hello, take your time';
/** For the compiler. */
const WARM_UP = 60;

const SLOW_TOOL = 'read_files';
const ANA: Actor = { id: 'slack:T1:U1', name: 'ana' };
const BOB: Actor = { id: 'slack:T1:U2', name: 'bob' };

/** Messages that one person keeps under way, each on a thread of its own. */
const FLOOD = 200;

/** How long a message of one person takes while tools of another one hang, or while they write and write. Milliseconds. */
export interface HangingTools {
  readonly at: string;
  readonly busyness: Busyness;
  readonly hanging: number;
  readonly messages: number;
  readonly idleP50: number;
  readonly idleMax: number;
  readonly busyP50: number;
  readonly busyMax: number;
  /** Absent in results of before it was measured. */
  readonly flood?: {
    readonly messages: number;
    readonly modelMs: number;
    readonly idleP50: number;
    readonly p50: number;
    readonly max: number;
  };
}

/** Measures the whole core on SQLite; the model answers at once, each message is on a new thread. */
export async function measureHangingTools(): Promise<HangingTools> {
  const busyness = currentBusyness();
  const core = openHangingCore();
  try {
    await answerTimes(core.ask, WARM_UP);
    const idle = await answerTimes(core.ask, MESSAGES);
    const calm = await answerTimes(core.askSlowly, MESSAGES);
    const endFlood = core.flood(FLOOD);
    await answerTimes(core.askSlowly, 1);
    const flooded = await answerTimes(core.askSlowly, MESSAGES);
    await endFlood();
    await core.hang(HANGING);
    const busy = await answerTimes(core.ask, MESSAGES);
    return {
      at: new Date().toISOString(),
      busyness,
      hanging: HANGING,
      messages: MESSAGES,
      idleP50: quantile(idle, 0.5),
      idleMax: quantile(idle, 1),
      busyP50: quantile(busy, 0.5),
      busyMax: quantile(busy, 1),
      flood: {
        messages: FLOOD,
        modelMs: MODEL_MS,
        idleP50: quantile(calm, 0.5),
        p50: quantile(flooded, 0.5),
        max: quantile(flooded, 1),
      },
    };
  } finally {
    await core.close();
  }
}

/** From message to answer, one after the other. */
async function answerTimes(ask: () => Promise<void>, messages: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let count = 0; count < messages; count++) {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
  }
  return times;
}

function openHangingCore() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-hanging-'));
  const path = join(folder, 'core.db');
  const file = openSqliteFile(path);
  const { store, checkpoints } = carryCheckpoints(storeInFile(file), new SqliteSaver(file));
  const latch = Promise.withResolvers<void>();
  const hub = createFakeHub(slowTool('files', SLOW_TOOL, latch.promise));
  const answers = new Map<string, PromiseWithResolvers<void>>();
  const { runs } = createCore({
    store,
    policy: policySchema.parse({ rules: [{ tools: `files.${SLOW_TOOL}`, action: 'allow' }] }),
    send: hub.send,
    agent: {
      models: { main: new ScriptedModel(replyTo), router: null },
      checkpoints,
      tools: hub.tools,
    },
    listeners: [],
    surfaces: [answerSurface(answers)],
    log: { error: (details, message) => console.error(message, details) },
  });
  runs.start();
  const send = (threadId: string, actor: Actor, text: string) =>
    runs.receive({
      threadId,
      surface: { kind: 'http', keyName: 'bench', name: threadId },
      itemId: randomUUID(),
      actor,
      text,
      at: Date.now(),
    });

  async function ask(actor: Actor, text: string): Promise<void> {
    const threadId = randomUUID();
    const answer = Promise.withResolvers<void>();
    answers.set(threadId, answer);
    await send(threadId, actor, text);
    await answer.promise;
    answers.delete(threadId);
  }

  return {
    ask: () => ask(BOB, 'hello'),
    askSlowly: () => ask(BOB, SLOWLY),
    /** Ana writes and writes: whenever a message is answered, she has written the next. Gives how to end it. */
    flood(messages: number) {
      let isOver = false;
      const writing = Array.from({ length: messages }, async () => {
        while (!isOver) await ask(ANA, SLOWLY);
      });
      return async () => {
        isOver = true;
        await Promise.all(writing);
      };
    },
    async hang(calls: number) {
      await Promise.all(Array.from({ length: calls }, () => send(randomUUID(), ANA, 'read')));
      await hub.sentTimes(SLOW_TOOL, calls);
    },
    async close() {
      latch.resolve();
      await runs.idle();
      await runs.stop();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const replyTo: ConstructorParameters<typeof ScriptedModel>[0] = (messages) => {
  const words = wordsOnly(messages.findLast((message) => isHumanMessage(message))?.text ?? '');
  if (words === SLOWLY) return { text: 'Here I am.', until: after(MODEL_MS) };
  if (words !== 'read' || messages.some((message) => isToolMessage(message))) return 'Here I am.';
  return [{ id: randomUUID(), name: SLOW_TOOL, args: {} }];
};

function answerSurface(answers: ReadonlyMap<string, PromiseWithResolvers<void>>): Surface {
  return {
    kind: 'http',
    newMessage: 'supersede',
    announceGate: () => [],
    announceRun: () => [],
    notifyGate: () => undefined,
    notifyRun({ threadId }, { type, item }) {
      if (type === 'answered') answers.get(threadId)?.resolve();
      if (type === 'failed') answers.get(threadId)?.reject(new Error(`the run failed: ${item.response}`));
    },
  };
}
