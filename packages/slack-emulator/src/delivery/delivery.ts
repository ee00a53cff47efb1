import type { JsonObject } from '../json.ts';

export type EnvelopeKind = 'events_api' | 'interactive' | 'slash_commands';

export interface Envelope {
  readonly kind: EnvelopeKind;
  readonly payload: JsonObject;
  readonly retry?: { readonly attempt: number; readonly reason: string };
}

/** How the app acknowledged; `body` is what it sent along, or null. */
export interface Ack {
  readonly body: JsonObject | null;
}

/** The app did not acknowledge; `reason` is Slack's word for why. */
export class NotAcknowledged extends Error {
  readonly reason: 'timeout' | 'no_connection' | 'connection_failed' | 'http_error';

  constructor(reason: NotAcknowledged['reason']) {
    super(reason);
    this.name = 'NotAcknowledged';
    this.reason = reason;
  }
}

/** A way to the app. */
export interface Delivery {
  /** Whether the app can be reached right now. */
  connected(): boolean;
  /** Hands one envelope over; resolves when it is acknowledged. Rejects with NotAcknowledged. */
  send(envelope: Envelope): Promise<Ack>;
}
