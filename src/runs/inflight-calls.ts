/** The calls that a worker is sending right now. */
export class InflightCalls {
  readonly #running = new Map<string, Promise<void>>();
  #failure: { readonly error: unknown } | null = null;

  callIds(): ReadonlySet<string> {
    return new Set(this.#running.keys());
  }

  add(callId: string, sent: Promise<void>): void {
    const settled = sent
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(callId));
    this.#running.set(callId, settled);
  }

  /** Resolves when one of them has come back, at once when there is none. */
  async next(): Promise<void> {
    if (this.#running.size > 0) await Promise.race(this.#running.values());
  }

  /**
   * Throws what went wrong when one could not be sent or its end not be recorded: only a worker with a
   * new fencing token can go on from there.
   */
  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Resolves when all have come back, however that went. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
