import { StoppedError } from '../../lib/errors.ts';
import type { MailboxItem } from '../collections.ts';

/** Abort signals for what runs for a message, by message id. */
export class StopSignals {
  readonly #controllers = new Map<string, AbortController>();

  of(itemId: string): AbortSignal {
    return this.#controllerOf(itemId).signal;
  }

  /** Aborts what runs for a message, for whoever has stopped it. */
  abort({ itemId, stoppedBy }: MailboxItem): void {
    this.#controllerOf(itemId).abort(new StoppedError(stoppedBy));
  }

  #controllerOf(itemId: string): AbortController {
    const controller = this.#controllers.get(itemId) ?? new AbortController();
    this.#controllers.set(itemId, controller);
    return controller;
  }
}
