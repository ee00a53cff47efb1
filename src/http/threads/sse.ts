import type { SSEStreamingApi } from 'hono/streaming';
import { errorMessage } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OpenStream } from '../api/open-streams.ts';
import type { HttpContext } from '../context.ts';
import { HttpError } from '../errors.ts';
import { streamUntilOver } from '../event-stream.ts';
import { BAD_EVENT_ID } from '../texts.ts';
import { FEED_START, type FeedPosition, isAfter, type ThreadFeed } from './feed.ts';
import type { LiveThreadEvent } from './schemas/events.ts';

/** The longest backlog of a slow listener. Beyond it, live events are dropped; stored ones are read again. */
const MAX_BACKLOG = 1_000;

export interface EventStreamPorts {
  readonly feed: ThreadFeed;
  readonly log: Pick<Logger, 'error'>;
  /** How often the store is asked, for what other processes did, in milliseconds. */
  readonly pollMs: number;
  /** How often a comment is sent, so that proxies keep the connection, in milliseconds. */
  readonly heartbeatMs: number;
}

/** The position that a `Last-Event-ID` names. Throws HttpError 400 for one that we did not give out. */
export function parseEventId(lastEventId: string | undefined): FeedPosition {
  if (lastEventId === undefined || lastEventId === '') return FEED_START;
  const [, version, position] = /^(\d{1,16})-(\d{1,16})$/.exec(lastEventId) ?? [];
  if (version === undefined || position === undefined) {
    throw new HttpError({
      status: 400,
      code: 'bad_event_id',
      userMessage: BAD_EVENT_ID,
    });
  }
  return { version: Number(version), position: Number(position), at: 0 };
}

/**
 * Streams a thread's events after a position: first the stored ones, then live ones. A listener whose stream is over, as this
 * process stops, comes back with its last id.
 */
export function streamEvents(
  c: HttpContext,
  ports: EventStreamPorts,
  { threadId, after }: { readonly threadId: string; readonly after: FeedPosition },
  open: OpenStream,
): Response {
  let sent = after;
  return streamThread(c, ports, open, {
    threadId,
    read: () => ports.feed.eventsAfter(threadId, sent),
    async write(stream, read) {
      for (const kept of read.filter((it) => isAfter(it, sent))) {
        sent = kept;
        await writeEvent(stream, kept.event, `${kept.version}-${kept.position}`);
      }
      return 'more';
    },
    writeLive: writeEvent,
  });
}

/** What a stream is about: something in a thread, which is read again whenever that has changed. */
interface Streamed<Read> {
  readonly threadId: string;
  readonly read: () => Promise<Read>;
  /** Writes what is new of it. The stream is closed after `over`. */
  readonly write: (stream: SSEStreamingApi, read: Read) => Promise<'more' | 'over'>;
  /** Writes what is told live, and never read. @default nothing of it */
  readonly writeLive?: (stream: SSEStreamingApi, event: LiveThreadEvent) => Promise<void>;
}

/** Streams what happens in a thread, in this process or another, until it is over, or its reader leaves. */
export function streamThread<Read>(
  c: HttpContext,
  ports: EventStreamPorts,
  open: OpenStream,
  streamed: Streamed<Read>,
): Response {
  return streamUntilOver(c, open, (stream, end) =>
    pump(stream, ports, streamed, (error) => {
      if (error !== null) {
        const { threadId } = streamed;
        ports.log.error({ threadId, err: error }, `event stream failed: ${errorMessage(error)}`);
      }
      end();
    }),
  );
}

/**
 * Writes events one after another, in the order in which they happened; returns a function that stops it. `onEnd`: with what it
 * failed by; null when it is over.
 */
function pump<Read>(
  stream: SSEStreamingApi,
  { feed, pollMs, heartbeatMs }: EventStreamPorts,
  { threadId, read, write, writeLive }: Streamed<Read>,
  onEnd: (error: unknown) => void,
): () => void {
  let tail = Promise.resolve();
  let backlog = 0;

  function enqueue(task: () => Promise<void>): void {
    backlog += 1;
    tail = tail
      .then(task)
      .catch(onEnd)
      .finally(() => {
        backlog -= 1;
      });
  }

  function catchUp(): void {
    // Read now and written in turn, so that later commits don't overtake a live event.
    const reading = Promise.allSettled([read()]);
    enqueue(async () => {
      const [found] = await reading;
      if (found.status === 'rejected') throw found.reason;
      if ((await write(stream, found.value)) === 'over') onEnd(null);
    });
  }

  const unsubscribe = feed.subscribe(threadId, (signal) => {
    if (backlog > MAX_BACKLOG) return;
    if (signal === 'changed') catchUp();
    else if (writeLive) enqueue(() => writeLive(stream, signal));
  });
  const comment = (text: string): void => enqueue(async () => void (await stream.write(`: ${text}\n\n`)));
  // The first bytes show proxies and clients at once that the stream is open.
  comment('open');
  catchUp();
  const polling = setInterval(() => {
    if (backlog === 0) catchUp();
  }, pollMs);
  const beating = setInterval(() => {
    if (backlog === 0) comment('alive');
  }, heartbeatMs);
  return () => {
    unsubscribe();
    clearInterval(polling);
    clearInterval(beating);
  };
}

/** Writes one event. With an id, whoever comes back with that is told what came after. */
export async function writeEvent(
  stream: SSEStreamingApi,
  { event, data }: { readonly event: string; readonly data: object } | LiveThreadEvent,
  id?: string,
): Promise<void> {
  await stream.writeSSE({ event, data: JSON.stringify(data), ...(id === undefined ? {} : { id }) });
}
