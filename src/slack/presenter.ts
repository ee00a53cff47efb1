import type { WebClient } from '@slack/web-api';
import { messageOf } from '../errors.ts';
import type { LiveEvent } from '../runs/ports.ts';
import type { MailboxItem, ThreadRecord } from '../runs/records.ts';
import { slackUserOf } from './thread-id.ts';
import { withoutMentions } from './text/escape.ts';

/** Below this many characters an answer is posted whole: streaming it would only flicker. */
const STREAM_FROM = 200;
/** Appended in pieces of about this many characters: appendStream allows about 100 calls a minute. */
const PIECE = 250;
/** Slack forgets a status after 2 minutes. */
const STATUS_REFRESH_MS = 90_000;

interface Stream {
  /** All text of the model so far. */
  text: string;
  /** How much of it Slack has. */
  sent: number;
  ts: string | null;
  /** Slack refused to stream: the answer is posted whole at the end. */
  broken: boolean;
  /** Calls to Slack, one after the other. */
  queue: Promise<void>;
}

export interface PresenterPorts {
  readonly client: WebClient;
  readonly log: { debug(details: object, message: string): void };
}

/**
 * What people see while the agent works: a status, and the answer as it is written. All of it is a
 * courtesy: nothing depends on it, and what fails is left out.
 */
export function createPresenter({ client, log }: PresenterPorts) {
  const streams = new Map<string, Stream>();
  const statuses = new Map<string, { text: string; timer: NodeJS.Timeout }>();

  function quietly(work: Promise<unknown>, what: string): Promise<void> {
    return work.then(
      () => undefined,
      (error: unknown) => log.debug({ error: messageOf(error) }, `${what} was not taken by Slack`),
    );
  }

  function setStatus(thread: ThreadRecord, text: string): void {
    if (thread.surface.kind !== 'slack') return;
    const { channel, threadTs } = thread.surface;
    const known = statuses.get(thread.threadId);
    if (known?.text === text) return;
    clearInterval(known?.timer);
    statuses.delete(thread.threadId);
    const send = () =>
      quietly(
        client.assistant.threads.setStatus({ channel_id: channel, thread_ts: threadTs, status: text }),
        'a status',
      );
    void send();
    if (text === '') return;
    const timer = setInterval(send, STATUS_REFRESH_MS);
    timer.unref();
    statuses.set(thread.threadId, { text, timer });
  }

  function streamOf(item: MailboxItem): Stream {
    const stream = streams.get(item.itemId) ?? {
      text: '',
      sent: 0,
      ts: null,
      broken: false,
      queue: Promise.resolve(),
    };
    streams.set(item.itemId, stream);
    return stream;
  }

  function advance(thread: ThreadRecord, item: MailboxItem, stream: Stream): void {
    if (thread.surface.kind !== 'slack' || stream.broken) return;
    // Only whole words: a mention must not be let through in two halves.
    const end = stream.text.lastIndexOf(' ') + 1;
    if (end < STREAM_FROM || end - stream.sent < PIECE) return;
    const piece = withoutMentions(stream.text.slice(stream.sent, end));
    stream.sent = end;
    const { channel, threadTs, team } = thread.surface;
    stream.queue = stream.queue.then(async () => {
      try {
        if (stream.ts === null) {
          const user = slackUserOf(item.actor.id);
          const started = await client.chat.startStream({
            channel,
            thread_ts: threadTs,
            recipient_team_id: team,
            ...(user === null ? {} : { recipient_user_id: user }),
            markdown_text: piece,
          });
          stream.ts = started.ts ?? null;
        } else {
          await client.chat.appendStream({ channel, ts: stream.ts, markdown_text: piece });
        }
      } catch (error) {
        stream.broken = true;
        log.debug({ error: messageOf(error) }, 'the answer is not streamed');
      }
    });
  }

  /** Ends the stream of a message; its ts, or null when nothing was streamed. */
  async function finish(itemId: string, channel: string): Promise<string | null> {
    const stream = streams.get(itemId);
    if (!stream) return null;
    streams.delete(itemId);
    stream.broken ||= stream.ts === null && stream.sent === 0;
    await stream.queue;
    const { ts } = stream;
    if (ts !== null) await quietly(client.chat.stopStream({ channel, ts }), 'the end of a stream');
    return ts;
  }

  return {
    finish,
    observe(thread: ThreadRecord, item: MailboxItem | null, event: LiveEvent): void {
      if (thread.surface.kind !== 'slack') return;
      switch (event.type) {
        case 'status':
          return setStatus(thread, event.text);
        case 'token': {
          if (!item) return;
          const stream = streamOf(item);
          stream.text += event.text;
          return advance(thread, item, stream);
        }
        case 'interim':
          // What was said before the calls stays where it stands; the answer starts a message of its own.
          if (item) void finish(item.itemId, thread.surface.channel);
          return;
        case 'tool_progress': {
          const { message, progress, total } = event.progress;
          const share = total === null ? '' : ` (${Math.floor((100 * progress) / total)} %)`;
          return setStatus(thread, `${message ?? 'working'}${share}…`);
        }
      }
    },
    /** The agent rests in this thread: it has answered, or waits for people. */
    rest: (thread: ThreadRecord): void => setStatus(thread, ''),
    stop(): void {
      for (const { timer } of statuses.values()) clearInterval(timer);
    },
  };
}
export type Presenter = ReturnType<typeof createPresenter>;
