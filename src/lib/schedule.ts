/** Runs something later; gives back how to call it off. */
export type Schedule = (run: () => void, delayMs: number) => () => void;
