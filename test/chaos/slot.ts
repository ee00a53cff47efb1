import { setTimeout as after } from 'node:timers/promises';
import { type CountersignProcess, type Exit, spawnProcess } from '../helpers/process.ts';
import type { ProcessClock } from './process-clock.ts';

interface SlotOptions {
  readonly name: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: ProcessClock;
  readonly note: (what: string) => void;
}

/** A place in which one Countersign process runs, and another one after that ended. */
export interface Slot {
  readonly name: string;
  /** What its processes go by. */
  readonly clock: ProcessClock;
  /** Starts a process and waits until it is up; one that gives up, its store being away, is started again. */
  start(): Promise<void>;
  /** Starts a process, and does not wait for it. */
  launch(): void;
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit>;
  pause(): void;
  resume(): void;
  /** Makes sure that a process is up and not paused. */
  heal(): Promise<void>;
  /** Null while none runs. */
  pid(): number | null;
  /** Where the HTTP API answers; throws while no process is up. */
  apiUrl(): string;
  /** What its processes have written, the latest last. */
  output(): string;
  /** How processes ended that nobody had ended. */
  readonly crashes: readonly string[];
}

/** How long a process may take from its start to its greeting, in milliseconds: others use this machine too. */
const START_WITHIN_MS = 30_000;

export function createSlot({ name, dataDir, env, clock, note }: SlotOptions): Slot {
  const crashes: string[] = [];
  const outputs: string[] = [];
  let current: CountersignProcess | null = null;
  let url: string | null = null;
  let isPaused = false;

  function launch(): CountersignProcess {
    const NODE_OPTIONS = [env.NODE_OPTIONS, clock.env.NODE_OPTIONS].filter(Boolean).join(' ');
    const started = spawnProcess({ dataDir, env: { ...env, ...clock.env, NODE_OPTIONS } });
    current = started;
    isPaused = false;
    void started.exited.then(({ code, signal }) => {
      outputs.push(started.output());
      if (current !== started) return;
      current = null;
      // With a message for the operator: its store or Slack could not be reached, and whoever runs it starts it again.
      if (started.output().includes('Countersign did not start.')) return;
      crashes.push(`${name} ended by itself (${code ?? signal}):\n${started.output()}`);
    });
    return started;
  }

  async function start(): Promise<void> {
    const deadline = Date.now() + START_WITHIN_MS;
    for (;;) {
      const started = current ?? launch();
      try {
        url = (await started.ready()).apiUrl;
        return;
      } catch (error) {
        if (Date.now() > deadline || crashes.length > 0) throw error;
        note(`${name} did not start; again`);
        await after(100);
      }
    }
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit> {
    const ending = current;
    current = null;
    url = null;
    if (!ending) return { code: null, signal: null };
    note(`${signal} to ${name}`);
    return ending.end(signal);
  }

  function tell(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (!current) return;
    note(`${signal} to ${name}`);
    process.kill(current.pid, signal);
    isPaused = signal === 'SIGSTOP';
  }

  return {
    name,
    clock,
    start,
    launch: () => void launch(),
    end,
    pause: () => tell('SIGSTOP'),
    resume: () => tell('SIGCONT'),
    async heal() {
      if (isPaused) tell('SIGCONT');
      if (current === null || url === null) await start();
    },
    pid: () => current?.pid ?? null,
    apiUrl() {
      if (url === null) throw new Error(`${name} is not up.`);
      return url;
    },
    output: () => [...outputs, current?.output() ?? ''].join(''),
    crashes,
  };
}
