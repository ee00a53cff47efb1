/** Abort signals for what runs for a message, by message id. */
export class StopSignals {
  readonly #controllers = new Map<string, AbortController>();

  of(itemId: string): AbortSignal {
    return this.#controllerOf(itemId).signal;
  }

  abort(itemId: string): void {
    this.#controllerOf(itemId).abort();
  }

  #controllerOf(itemId: string): AbortController {
    const controller = this.#controllers.get(itemId) ?? new AbortController();
    this.#controllers.set(itemId, controller);
    return controller;
  }
}
