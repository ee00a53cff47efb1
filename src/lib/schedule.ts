/** Runs something later; returns a function that cancels it. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** A {@link Schedule} on `setTimeout` that doesn't keep the process alive. */
export const timerSchedule: Schedule = (run, delayMs) => {
  const handle = setTimeout(run, delayMs).unref();
  return () => clearTimeout(handle);
};
