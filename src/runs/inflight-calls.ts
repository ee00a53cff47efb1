/** The calls that a worker is sending right now. */
export interface Sending {
  callIds(): ReadonlySet<string>;
  add(callId: string, sent: Promise<void>): void;
  /** Resolves when one of them has come back, at once when there is none. */
  next(): Promise<void>;
  /**
   * Throws what went wrong when one could not be sent or its end not be recorded: only a worker with a
   * new fencing token can go on from there.
   */
  throwIfFailed(): void;
  /** Resolves when all have come back, however that went. */
  settled(): Promise<void>;
}

export function createSending(): Sending {
  const running = new Map<string, Promise<void>>();
  let failure: { readonly error: unknown } | null = null;

  return {
    callIds: () => new Set(running.keys()),
    add(callId, sent) {
      const settled = sent
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(callId));
      running.set(callId, settled);
    },
    async next() {
      if (running.size > 0) await Promise.race(running.values());
    },
    throwIfFailed() {
      if (failure) throw failure.error;
    },
    async settled() {
      await Promise.all(running.values());
    },
  };
}
