import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type SlackEmulator, startSlackEmulator, type WorkspaceClock } from '@countersign/slack-emulator';
import { AUDIT_SIGNING_KEY } from '../helpers/audit-keys.ts';
import { hasDovecot, type MailServers, startMailServers } from '../helpers/mail-servers.ts';
import { configOf, hasThief } from './config.ts';
import { startHostileServer } from './hostile-server.ts';
import { type Ledger, startLedger } from './ledger.ts';
import { startRuleModel } from './model.ts';
import type { Plan } from './plan.ts';
import { createProcessClock } from './process-clock.ts';
import { type Random, randomOf } from './random.ts';
import { createSlot, type Slot } from './slot.ts';
import { type ChaosStorage, openRedisStorage, openSqliteStorage } from './storage.ts';

export const API_KEY = 'chaos-key-of-the-three-people-1729';
/** What a file in DATA_DIR holds, which no server may see. */
const KEPT = 'kept-in-the-data-folder-1c9e4b7a';
const ENCRYPTION_KEY = Buffer.alloc(32, 'a key for tokens').toString('base64');

/** What a program was told of a call in the end. */
export interface Heard {
  readonly entry: string;
  /** The call's key, where it was told. */
  readonly callKey: string | null;
  /** Whether it was told that it may run, or that it has. */
  readonly isGood: boolean;
  readonly words: string;
}

/** All that one seed runs in: the processes, and everything around them that outlives them. */
export interface World {
  readonly plan: Plan;
  readonly random: Random;
  readonly workspace: SlackEmulator;
  readonly ledger: Ledger;
  /** Every request to the model, as text. */
  readonly told: readonly string[];
  /** What a server's process has stolen, as it came to whoever sent it. */
  readonly collected: readonly string[];
  /** What must be seen nowhere, by name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly storage: ChaosStorage;
  /** Null where no mailbox is watched. */
  readonly mailServers: MailServers | null;
  readonly slots: readonly [Slot, ...Slot[]];
  /** The process that people reach over HTTP. */
  readonly web: Slot;
  /** What programs have heard of their calls, and the functions that they have run. */
  readonly heard: Heard[];
  /** Entries whose program gave up waiting at some moment, which may be the one in which it was answered. */
  readonly gaveUp: Set<string>;
  /** Messages of which an event was acknowledged, as `channel:ts`. */
  readonly acknowledged: Set<string>;
  /** Calls of which a decision was acknowledged, and when at the latest by the clock of whoever took it. */
  readonly decided: ReadonlyMap<string, number>;
  /** The cards that somebody has deleted, as they were. */
  readonly deletedCards: object[];
  /** Notes that a decision on this call was acknowledged; only the first counts. */
  acknowledgeDecision(callKey: string): void;
  /**
   * Calls `listener` at the next acknowledgement of a decision, before anything else happens. Gives how to
   * call that off.
   */
  onceDecided(listener: () => void): () => void;
  /** What was done, with the milliseconds since the start. */
  readonly history: readonly string[];
  note(what: string): void;
  close(): Promise<void>;
}

/** How soon the stand-in for Slack tries an event again at the latest; Slack takes minutes. In milliseconds. */
const LONGEST_RETRY_MS = 3_500;

const impatientClock: WorkspaceClock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_RETRY_MS));
    return () => clearTimeout(timer);
  },
};

export async function openWorld(plan: Plan, compileCache: string): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-chaos-'));
  const begin = Date.now();
  const history: string[] = [];
  const note = (what: string): void => void history.push(`${Date.now() - begin} ms: ${what}`);
  const names = plan.storage === 'sqlite' ? (['all'] as const) : (['web', 'worker-1', 'worker-2'] as const);
  const entries = [
    ...plan.conversations.flatMap(({ messages }) => messages.flat()),
    ...plan.programs.flatMap((program) => program.entries),
  ];
  const hasInbox = plan.inbox !== null && hasDovecot('chaos with a mailbox');
  const [workspace, ledger, model, mailServers, storage] = await Promise.all([
    startSlackEmulator({
      ...{ rates: 'off', botName: 'countersign', clock: impatientClock },
      commands: [{ command: '/countersign', description: 'Ask it', usage: 'help' }],
    }),
    startLedger(entries),
    startRuleModel(),
    hasInbox ? startMailServers() : null,
    plan.storage === 'sqlite' ? openSqliteStorage(folder) : openRedisStorage(names),
  ]);
  const keys = new Map([
    ['COUNTERSIGN_API_KEY', API_KEY],
    ['SLACK_BOT_TOKEN', workspace.botToken],
    ['SLACK_APP_TOKEN', workspace.appToken],
    ['TOKEN_ENCRYPTION_KEY', ENCRYPTION_KEY],
    ['AUDIT_SIGNING_KEY', AUDIT_SIGNING_KEY],
  ]);
  const isHostile = plan.conversations.some(({ mischief }) => mischief.length > 0);
  const hostile = isHostile ? await startHostileServer([...keys.values()]) : null;
  const decided = new Map<string, number>();
  const listeners = new Set<() => void>();
  const config = join(folder, 'countersign.yaml');
  const target = { secrets: [...keys.values()], dataDir: folder };
  writeFileSync(
    config,
    JSON.stringify(configOf(plan, { ledgerUrl: ledger.url, hostile, mail: mailServers }, target)),
  );
  writeFileSync(join(folder, 'kept'), KEPT);
  const slotOf = (name: string, index: number): Slot =>
    createSlot({
      name,
      note,
      clock: createProcessClock(join(folder, `clock-${name}`), plan.clocks[index] ?? 0),
      dataDir: join(folder, plan.storage === 'sqlite' ? '' : name),
      env: {
        COUNTERSIGN_CONFIG: config,
        ...Object.fromEntries(keys),
        SANDBOX: plan.protection === 'none' ? 'relaxed' : 'strict',
        TOKEN_ENCRYPTION_KEY: `chaos:${ENCRYPTION_KEY}`,
        SLACK_API_URL: workspace.apiUrl,
        // The pace of a real channel would only make a seed take longer.
        SLACK_POSTS_PER_SECOND: '9999',
        OPENAI_API_KEY: 'none',
        OPENAI_BASE_URL: model.url,
        // What a server's process says only comes at this level.
        LOG_LEVEL: hasThief(plan) ? 'debug' : 'warn',
        // Processes start often here; what is compiled once serves all of them.
        NODE_COMPILE_CACHE: compileCache,
        ...storage.env(name),
      },
    });
  const [first, ...others] = names;
  const web = slotOf(first, 0);
  const slots: [Slot, ...Slot[]] = [web, ...others.map((name, index) => slotOf(name, index + 1))];
  return {
    plan,
    random: randomOf(plan.seed + 1_000_003),
    workspace,
    ledger,
    told: model.told,
    collected: hostile?.collected ?? [],
    secrets: new Map([
      ...keys,
      ['a file in DATA_DIR', KEPT],
      ...(mailServers ? [['the password of a mailbox', mailServers.entry().password] as const] : []),
    ]),
    storage,
    mailServers,
    slots,
    web,
    heard: [],
    gaveUp: new Set(),
    acknowledged: new Set(),
    decided,
    deletedCards: [],
    acknowledgeDecision(callKey) {
      if (!decided.has(callKey)) decided.set(callKey, web.clock.latest());
      for (const listener of listeners) listener();
      listeners.clear();
    },
    onceDecided(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    history,
    note,
    async close() {
      await Promise.all(slots.map((slot) => slot.end('SIGKILL')));
      await Promise.all([
        workspace.stop(),
        ledger.close(),
        hostile?.close(),
        model.stop(),
        mailServers?.stop(),
        storage.close(),
      ]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Between two looks at something that tells nobody when it changes, in milliseconds: so as not to miss its moment. */
const LOOK_EVERY_MS = 10;
/** As that, where it does not matter when it is seen: what looks takes time from what is looked at. */
export const CALMLY_MS = 40;

/**
 * Waits until `look` gives something truthy, and gives that; null when `withinMs` are over. A look that
 * fails, the store being away, counts as nothing seen.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  withinMs: number,
  everyMs: number = LOOK_EVERY_MS,
): Promise<T | null> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await Promise.resolve()
      .then(look)
      .catch(() => null);
    if (seen) return seen;
    if (Date.now() > deadline) return null;
    await after(everyMs);
  }
}
