/**
 * Hints to whoever holds a lease that there is something new to look at. Whoever wants a lease that is taken sends
 * one, as the holder is the one who can go on. Others are to whoever waits for a call, under its key. They are never the
 * truth: losing one loses nothing.
 */
export interface Nudges {
  /** Whether there may be other processes on the storage. */
  readonly hasOthers: boolean;
  /** Tells the other processes on the same storage; to this one it does nothing. */
  send(lease: string): void;
  /** `handler` is called with the lease's name for each nudge of another process. It must be cheap to ignore. */
  receive(handler: (lease: string) => void): void;
}

/** The nudges of a process that is alone on its storage. */
export const noNudges: Nudges = { hasOthers: false, send: () => undefined, receive: () => undefined };
