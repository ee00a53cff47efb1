import { createContext, Script } from 'node:vm';

/** Runs a synchronous function. Throws what it throws, and an error if it takes too long. */
export type WithinTime = (run: () => void) => void;

/**
 * A time limit for synchronous code that would block the process. It's interrupted wherever it is, so it
 * mustn't leave shared state half done. The runtime can only interrupt scripts, so this runs one that calls
 * the function.
 * @param timeoutMs the limit in milliseconds
 */
export function createTimeLimit(timeoutMs: number): WithinTime {
  const script = new Script('run()');
  const given: { run: () => void } = { run: () => {} };
  const context = createContext(given);
  return (run) => {
    given.run = run;
    script.runInContext(context, { timeout: timeoutMs });
  };
}
