import { SlackRefusal } from '../errors.ts';
import type { WorkspaceClock } from '../workspace/clock.ts';
import type { Actor } from '../workspace/types.ts';

/** How long a trigger may be exchanged for a modal, in milliseconds. */
const TRIGGER_MS = 3000;

export interface Triggers {
  /** A new trigger id for something that this person just did. */
  issue(actor: Actor): string;
  /** Who did it and where, once. Throws `invalid_trigger_id`, `exchanged_trigger_id`, `expired_trigger_id`. */
  exchange(triggerId: string): Actor;
}

export function createTriggers(clock: WorkspaceClock, newId: (prefix: string) => string): Triggers {
  const issued = new Map<string, { actor: Actor; at: number; exchanged: boolean }>();
  return {
    issue: ({ user, client }) => {
      const id = `${clock.now()}.${newId('')}`.toLowerCase();
      issued.set(id, { actor: { user, client }, at: clock.now(), exchanged: false });
      return id;
    },
    exchange: (id) => {
      const trigger = issued.get(id);
      if (trigger === undefined) throw new SlackRefusal('invalid_trigger_id');
      if (trigger.exchanged) throw new SlackRefusal('exchanged_trigger_id');
      if (clock.now() - trigger.at > TRIGGER_MS) throw new SlackRefusal('expired_trigger_id');
      trigger.exchanged = true;
      return trigger.actor;
    },
  };
}
