import type { WebClient } from '@slack/web-api';
import type { Progress } from '../../gate/types.ts';
import { errorMessage } from '../../lib/errors.ts';
import { clip, oneLine } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import type { MailboxItem, ThreadRecord } from '../../runs/index.ts';
import type { LiveEvent } from '../../runs/ports.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { parseSlackThreadId, readSlackUser } from '../ids.ts';
import { answerText } from '../text/escape.ts';
import { createStatusLine, type StatusPorts } from './status-line.ts';

/** The shortest answer that is streamed, in characters: streaming a shorter one would only flicker. */
const STREAM_FROM = 200;
/** The size of an appended piece, in characters: appendStream allows about 100 calls a minute. */
const PIECE = 250;
/** The longest progress line from a server, in characters. */
const STATUS_LENGTH = 100;

interface Stream {
  /** All of the model's text so far. */
  text: string;
  /** How much of it was offered to Slack, in characters. */
  offered: number;
  /** How much of it Slack has, in characters. */
  sent: number;
  ts: string | null;
  /** Nothing more is appended: Slack refused, or the stream has ended. */
  closed: boolean;
  /** Calls to Slack, in order; never rejects. */
  queue: Promise<void>;
}

export interface PresenterPorts extends StatusPorts {
  readonly client: WebClient;
  /** Whether nothing waits to be shown in the channel: a stream must not overtake it. */
  readonly isClear: (channel: string) => Promise<boolean>;
}

/**
 * Live output while the agent works: a status, and the answer as it is written. It is best effort: nothing
 * depends on it, and failures are ignored.
 */
export function createPresenter({ client, log, isClear }: PresenterPorts) {
  const streams = new Map<string, Stream>();
  const status = createStatusLine({ client, log });

  function streamOf(item: MailboxItem): Stream {
    const stream = streams.get(item.itemId) ?? {
      text: '',
      offered: 0,
      sent: 0,
      ts: null,
      closed: false,
      queue: Promise.resolve(),
    };
    streams.set(item.itemId, stream);
    return stream;
  }

  function advance(thread: ThreadRecord, item: MailboxItem, stream: Stream): void {
    const place = parseSlackThreadId(thread.threadId);
    if (!place || stream.closed) return;
    const end = completeWords(stream.text);
    if (end < STREAM_FROM || end - stream.offered < PIECE) return;
    stream.offered = end;
    const { channel, threadTs, team } = place;
    const user = readSlackUser(item.actor.id);
    const start = {
      channel,
      thread_ts: threadTs,
      recipient_team_id: team,
      ...(user === null ? {} : { recipient_user_id: user }),
    };
    stream.queue = stream.queue.then(async () => {
      try {
        if (stream.ts === null && !(await isClear(channel))) return;
        if (stream.closed) return;
        const piece = answerText(stream.text.slice(stream.sent, end));
        stream.sent = end;
        if (stream.ts === null) {
          const started = await client.chat.startStream({ ...start, markdown_text: piece });
          stream.ts = started.ts ?? null;
        } else {
          await client.chat.appendStream({ channel, ts: stream.ts, markdown_text: piece });
        }
      } catch (error) {
        stream.closed = true;
        log.debug({ error: errorMessage(error) }, 'the answer is not streamed any further');
      }
    });
  }

  /**
   * Ends the stream in Slack, complete or as it is; its ts, or null when there is none. Rejects when the
   * stream may continue for now.
   */
  async function end(stream: Stream, channel: string, how: 'whole' | 'as it is'): Promise<string | null> {
    await stream.queue;
    if (stream.ts === null) return null;
    const rest = how === 'whole' ? answerText(stream.text.slice(stream.sent)) : '';
    const words = rest === '' ? {} : { markdown_text: rest };
    try {
      await client.chat.stopStream({ channel, ts: stream.ts, ...words });
    } catch (error) {
      if ('waitMs' in classifyFailure(error)) throw error;
      // Slack had already ended it.
      log.debug({ error: errorMessage(error) }, 'the end of a stream was not taken by Slack');
    }
    return stream.ts;
  }

  return {
    observe(thread: ThreadRecord, item: MailboxItem | null, event: LiveEvent): void {
      const place = parseSlackThreadId(thread.threadId);
      if (!place) return;
      switch (event.type) {
        case 'status':
          status.set(thread, event.text);
          return;
        case 'token': {
          if (!item) return;
          const stream = streamOf(item);
          stream.text += event.text;
          advance(thread, item, stream);
          return;
        }
        case 'interim': {
          const stream = item && streams.get(item.itemId);
          if (!stream) return;
          // Text before the calls stays where it is; the answer starts a new message.
          streams.delete(item.itemId);
          end(stream, place.channel, 'whole').catch((error: unknown) =>
            log.debug({ error: errorMessage(error) }, 'a stream was left for Slack to end'),
          );
          return;
        }
        case 'tool_progress':
          status.setSoon(thread, describeProgress(event.progress, event.title));
          return;
      }
    },

    /**
     * Ends the stream of an answer; its ts, or null when nothing was streamed. Rejects with Slack's error
     * when a retry makes sense.
     */
    async finish(itemId: string, channel: string): Promise<string | null> {
      const stream = streams.get(itemId);
      if (!stream) return null;
      // The whole answer follows, so the rest needn't be streamed.
      stream.closed = true;
      const ts = await end(stream, channel, 'as it is');
      streams.delete(itemId);
      return ts;
    },

    /** Clears the status: the agent has answered, or waits for people. */
    rest(thread: ThreadRecord): void {
      status.set(thread, '');
    },
    stop: (): void => status.stop(),
  };
}

/**
 * The length of text that can be shown: whole words only, and no half of a reference such as
 * `<!subteam^S1|the team>`, so that no mention gets through in two pieces.
 */
function completeWords(text: string): number {
  const end = text.search(/\s\S*$/) + 1;
  const open = /<[!@#][^<>]*$/.exec(text.slice(0, end));
  return open === null ? end : open.index;
}

/** Up to this many steps, progress shows the step's number; beyond, a percentage. */
const COUNTED = 20;

function describeProgress({ message, progress, total }: Progress, title = ''): string {
  const [what, says] = [title, message ?? ''].map((text) => oneLine(visible(text)).trim());
  const words = clip([what, says].filter((part) => part).join(': '), STATUS_LENGTH);
  return `${words === '' ? 'working' : words}${describeShare(progress, total)}…`;
}

function describeShare(progress: number, total: number | null): string {
  if (total === null || total <= 0 || progress < 0) return '';
  const isCounted = Number.isInteger(progress) && Number.isInteger(total) && total <= COUNTED;
  if (isCounted && progress <= total) return ` (${progress} of ${total})`;
  return ` (${Math.min(100, Math.floor((100 * progress) / total))} %)`;
}
