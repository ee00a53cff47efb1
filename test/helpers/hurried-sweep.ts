/**
 * Loaded before a process under test by `--import`, which knows nothing of it: what it looks after every 15
 * seconds it looks after twice a second, so that a dialogue need not wait for what would come by itself.
 */
const SWEEP_MS = 15_000;
const HURRIED_MS = 500;

const real = globalThis.setInterval;
globalThis.setInterval = Object.assign(
  (task: () => void, ms?: number) => real(task, ms === SWEEP_MS ? HURRIED_MS : ms),
  real,
);
