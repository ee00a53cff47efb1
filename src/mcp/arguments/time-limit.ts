import { createContext, Script } from 'node:vm';

/** Runs something that waits for nothing. Throws as that does, and when it takes too long. */
export type WithinTime = (run: () => void) => void;

/**
 * Ends what would hold up the process after so many milliseconds, at whatever place it is then: for what leaves nothing
 * half done that anybody looks at. Scripts are all that the runtime can end so, and this one only calls what it is given.
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
