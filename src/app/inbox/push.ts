import type { FileConfig } from '../../config/file.ts';
import type { HttpPorts } from '../../http/index.ts';
import type { Inbox } from '../../inbox/index.ts';
import type { Logger } from '../../lib/logger.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import { timerSchedule } from '../../lib/schedule.ts';
import { createThrottle } from '../../lib/throttle.ts';
import { networkReach } from '../../mcp/index.ts';
import type { Connectors, Pushed, PushSender } from '../../mcp/ports.ts';
import { pushSummary } from '../texts/inbox.ts';

/** Limit of the keys that tokens are signed with, in bytes; Google's are some 1,200. */
const MOST_KEY_BYTES = 256 * 1024;

interface PushPorts {
  readonly servers: FileConfig['servers'];
  readonly connectors: Connectors;
  /** Where services reach this program. */
  readonly url: () => string;
  readonly inbox: Pick<Inbox, 'lookSoon' | 'work'>;
  /** Whether this process looks at mailboxes; another one does within seconds where it doesn't. */
  readonly isAtWork: boolean;
  readonly log: Pick<Logger, 'warn'>;
}

/** How the service of an entry tells that there is something new. */
interface Push {
  readonly server: string;
  readonly topic: string;
  readonly path: string;
  readonly sender: (publicUrl: string) => PushSender;
  /** Null where the entry's connector has no such thing. */
  readonly createReader: ((sender: PushSender) => (request: Request) => Promise<Pushed>) | null;
}

/** The entries of the configuration whose service is to tell when there is something new. */
export function listPushes({ servers, connectors }: Pick<PushPorts, 'servers' | 'connectors'>): Push[] {
  return Object.entries(servers).flatMap(([server, config]) => {
    if (!('connector' in config) || config.push === undefined || config.disabled) return [];
    const { topic, service_account: serviceAccount, audience } = config.push;
    const connector = connectors.get(config.connector);
    const path = `/push/${server}`;
    // Who hosts the API hosts the sign-in, too.
    const signInUrl = config.sign_in_url ?? (config.api_url ? new URL(config.api_url).origin : null);
    const service = connector && 'createServer' in connector ? connector : null;
    const createReader = service?.createPushReader ?? null;
    const { allow_private_network } = config;
    const sender = (publicUrl: string) => {
      const reach = networkReach({ url: signInUrl ?? service?.apiUrl ?? publicUrl, allow_private_network });
      const fetch = createGuardedFetch({ reach, maxBytes: MOST_KEY_BYTES, isWhole: true });
      return { audience: audience ?? `${publicUrl}${path}`, serviceAccount, signInUrl, fetch };
    };
    return [{ server, topic, path, sender, createReader }];
  });
}

/** The pause between two lines on refused requests, in milliseconds: anybody can send them. */
const LOGGED = { firstMs: 60_000, longestMs: 60_000 };

/**
 * Takes what services send when there is something new in an account: the mailbox is looked at now and not in a minute. Nothing
 * else comes of it, so what is said of somebody who has no mailbox here, twice, or not at all, does no harm.
 */
export function createPushMounts({ url, inbox, isAtWork, log, ...ports }: PushPorts): HttpPorts['mounts'] {
  return listPushes(ports).flatMap(({ server, path, sender, createReader }) => {
    if (createReader === null) return [];
    let read: ReturnType<typeof createReader> | null = null;
    const refused = createRefusals(server, log);
    const handle = async (request: Request): Promise<Response> => {
      read ??= createReader(sender(url()));
      const pushed = await read(request);
      if ('status' in pushed) {
        refused(pushed.status);
        return new Response(null, { status: pushed.status });
      }
      if (pushed.account !== null) {
        await inbox.lookSoon(server, pushed.account);
        if (isAtWork) void doDue(inbox);
      }
      return new Response(null, { status: 204 });
    };
    return [{ method: 'POST', path, summary: pushSummary(server), handle }];
  });
}

/** Logs refused requests, with how many of each status there were since the last line. */
function createRefusals(server: string, log: Pick<Logger, 'warn'>): (status: number) => void {
  const counts = new Map<number, number>();
  const run = async () => {
    log.warn({ server, statuses: Object.fromEntries(counts) }, 'refused pushes');
    counts.clear();
  };
  const throttle = createThrottle({ run, schedule: timerSchedule, pauses: LOGGED });
  return (status) => {
    counts.set(status, (counts.get(status) ?? 0) + 1);
    throttle.request();
  };
}

/** In the order in which a mail goes through it. */
async function doDue({ work }: Pick<Inbox, 'work'>): Promise<void> {
  for (const step of work) await step.runNow();
}
