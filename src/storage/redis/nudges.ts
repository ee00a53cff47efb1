import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Nudges } from '../lease/nudges.ts';
import { connectSubscriber } from './client.ts';

/** Redis shares channels among all databases of a server: who hears of a lease of others holds none of that name. */
const CHANNEL = '{cs}:nudges';
/** How often the subscriber's connection is checked, in milliseconds: one that is dead would be silent for ever. */
const CHECK_MS = 10_000;
const nudgeSchema = z.tuple([z.string(), z.string()]);

interface NudgesOptions {
  /** As for the store. */
  readonly url: string;
  /** The connection that sends; it stays open. */
  readonly client: Redis;
  /** The name of this process, by which it knows its own. */
  readonly sender: string;
  readonly log: { debug(details: object, message: string): void };
}

/** Nudges by publish and subscribe. What is sent while nobody is connected is lost. */
export function redisNudges({ url, client, sender, log }: NudgesOptions): Nudges & { close(): void } {
  const note = (error: unknown): void => log.debug({ err: error }, 'nudge failed');
  let subscriber: Redis | null = null;
  let check: NodeJS.Timeout | undefined;
  return {
    hasOthers: true,
    send(lease) {
      client.publish(CHANNEL, JSON.stringify([sender, lease])).catch(note);
    },
    receive(handler) {
      subscriber ??= connectSubscriber(url);
      subscriber.on('message', (_channel, message) => {
        const nudge = readNudge(message);
        if (nudge && nudge.from !== sender) handler(nudge.lease);
      });
      subscriber.subscribe(CHANNEL).catch(note);
      check ??= setInterval(() => subscriber?.ping().catch(note), CHECK_MS).unref();
    },
    close() {
      clearInterval(check);
      subscriber?.disconnect();
    },
  };
}

/** Null for anything else: whoever has another database of the server can send here, too. */
function readNudge(message: string): { readonly from: string; readonly lease: string } | null {
  try {
    const [from, lease] = nudgeSchema.parse(JSON.parse(message));
    return { from, lease };
  } catch {
    return null;
  }
}
