/**
 * Loaded before a process under test by `--import`, which knows nothing of it: what it does every 15 seconds, and
 * a worker every 5 and 30, such as with inboxes and schedules, it does twice a second, so that a dialogue need not
 * wait for what would come by itself. Where a connection to Slack is, it's pinged every 5 seconds, as ever.
 */
const SWEEPS_MS: ReadonlySet<unknown> = new Set(
  process.env.ROLE === 'worker' ? [5_000, 15_000, 30_000] : [15_000],
);
const HURRIED_MS = 500;

const real = globalThis.setInterval;
globalThis.setInterval = Object.assign(
  (task: () => void, ms?: number) => real(task, SWEEPS_MS.has(ms) ? HURRIED_MS : ms),
  real,
);
