import { type Ack, type Delivery, type EnvelopeKind, NotAcknowledged } from '../delivery/delivery.ts';
import type { EventQueue } from '../delivery/event-queue.ts';
import { PersonRefusal } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Person, Workspace } from '../workspace/types.ts';
import type { ResponseUrls } from './response-urls.ts';
import { REFUSED } from './texts.ts';
import type { Triggers } from './triggers.ts';

/** What interactions of people work with: the workspace, and the ways to the app. */
export interface InteractionContext {
  readonly workspace: Workspace;
  readonly triggers: Triggers;
  readonly responseUrls: ResponseUrls;
  readonly queue: EventQueue;
  readonly delivery: () => Delivery;
  /** How long a script waits for something before it fails, in milliseconds. */
  readonly waitMs: number;
}

/** Someone of the workspace who can act. Throws when there is no such person. */
export function requireActor({ workspace }: Pick<InteractionContext, 'workspace'>, user: string): Person {
  const person = workspace.people.get(user);
  if (person === undefined || person.isBot || person.deleted) {
    throw new PersonRefusal('no_such_person', REFUSED.noPerson(user));
  }
  return person;
}

/** Hands an interaction or command to the app and waits for its ack; what goes wrong is told as Slack's client does. */
export async function deliver(
  context: InteractionContext,
  kind: EnvelopeKind,
  payload: JsonObject,
): Promise<Ack> {
  try {
    return await context.delivery().send({ kind, payload });
  } catch (error) {
    if (!(error instanceof NotAcknowledged)) throw error;
    if (error.reason === 'no_connection') {
      throw new PersonRefusal('app_not_connected', REFUSED.appAway);
    }
    throw new PersonRefusal('operation_timed_out', REFUSED.appLate);
  }
}
