import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import type { World } from './world.ts';

/** The bodies of the events that tell of a message of a person. */
function eventsOf(world: World, ts: string): readonly JsonObject[] {
  return world.workspace.driver
    .events()
    .filter(
      ({ event }) => isJsonObject(event) && event.ts === ts && event.user !== undefined && !event.hidden,
    );
}

/** Delivers the events of a message once more, as Slack does; remembers what was acknowledged. */
export async function deliverAgain(world: World, ts: string): Promise<void> {
  await Promise.all(eventsOf(world, ts).map((body) => deliverOne(world, body)));
}

/** Delivers one event; false when the app did not acknowledge it. */
export async function deliverOne(world: World, body: JsonObject): Promise<boolean> {
  try {
    await world.workspace.driver.forge('events_api', body);
  } catch {
    return false;
  }
  const { event } = body;
  if (isJsonObject(event) && isForTheApp(event)) {
    world.acknowledged.add(`${String(event.channel)}:${String(event.ts)}`);
  }
  return true;
}

/** In a channel, the mention is what the app takes; a plain message there may be between people. */
function isForTheApp(event: JsonObject): boolean {
  return event.type === 'app_mention' || event.channel_type === 'im';
}

/** Every event that tells of something that people wrote. */
export function messagesOfPeople(world: World): readonly JsonObject[] {
  return world.workspace.driver.events().filter(({ event }) => {
    if (!isJsonObject(event) || event.subtype !== undefined || event.bot_id !== undefined) return false;
    return event.type === 'app_mention' || event.type === 'message';
  });
}
