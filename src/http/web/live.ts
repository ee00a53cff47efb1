import type { Logger } from '../../lib/logger.ts';
import type { OpenStreams } from '../api/open-streams.ts';
import type { HttpContext } from '../context.ts';
import { streamUntilOver } from '../event-stream.ts';
import { findDashboardVisitor, type Visitor, type VisitorPorts } from './session/visitor.ts';

/** How often it's looked for what other processes did, in milliseconds. */
const LOOK_MS = 5_000;
/** How long what happens is gathered before a page is told, in milliseconds. */
const GATHER_MS = 150;

interface LivePorts {
  readonly web: VisitorPorts & { readonly onChange: (listener: () => void) => () => void };
  readonly streams: OpenStreams;
  readonly heartbeatMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Tells the page of a visitor whenever it no longer shows what there is, which differs where its version does. */
export type Follow = (c: HttpContext, visitor: Visitor, readVersion: () => Promise<string>) => Response;

/** See {@link Follow}: an event stream, until the visitor's session ends. */
export function createFollow({ web, streams, heartbeatMs, log }: LivePorts): Follow {
  return (c, { actor, session }, readVersion) => {
    const isStillIn = async (): Promise<boolean> => (await findDashboardVisitor(c, web)) !== null;
    const open = streams.open({ name: `web:${actor.id}`, token: session.secret, isStillIn });
    let told = c.req.query('version') ?? '';
    return streamUntilOver(c, open, (stream) => {
      const { soon, stop } = createLooks(log, async () => {
        const version = await readVersion();
        if (version === told) return;
        told = version;
        await stream.writeSSE({ data: version });
      });
      soon();
      const stopListening = web.onChange(soon);
      const looking = setInterval(soon, LOOK_MS);
      const beating = setInterval(() => void stream.write(': alive\n\n'), heartbeatMs);
      return () => {
        stopListening();
        clearInterval(looking);
        clearInterval(beating);
        stop();
      };
    });
  };
}

/** Looks a moment after it is asked to, one at a time: for what happens meanwhile, once more when that is over. */
function createLooks(log: LivePorts['log'], look: () => Promise<void>) {
  let due: NodeJS.Timeout | null = null;
  let isAgain = false;
  let isOver = false;
  const soon = (): void => {
    isAgain = true;
    if (!isOver) due ??= setTimeout(run, GATHER_MS);
  };
  const run = async (): Promise<void> => {
    isAgain = false;
    await look().catch((err: unknown) => log.warn({ err }, 'an open page was not told what has changed'));
    due = null;
    if (isAgain) soon();
  };
  const stop = (): void => {
    isOver = true;
    if (due) clearTimeout(due);
  };
  return { soon, stop };
}
