/** Runs something later; returns a function that cancels it. */
export type Schedule = (run: () => void, delayMs: number) => () => void;
