import type { WebClient } from '@slack/web-api';
import { errorMessage } from '../../lib/errors.ts';
import { classifyFailure } from '../client/api-errors.ts';
import type { SlackThread } from '../ids.ts';
import { answerText } from '../text/escape.ts';

/** The size of the first pieces, in characters. A shorter answer isn't streamed: it would only flicker. */
const PIECE = 250;
/** How much longer pieces get as the text grows: by this share of what Slack has of it. */
const GROWTH = 0.25;
/**
 * The most that a stream gets, in characters as they are sent: Slack's limit on the Markdown of one message
 * (https://docs.slack.dev/reference/methods/chat.appendStream). A longer answer ends as several messages.
 */
const LONGEST = 12_000;
/**
 * The shortest time between two pieces, in milliseconds. The workspace's streams share about 100 appends a
 * minute (tier 4): https://docs.slack.dev/reference/methods/chat.appendStream
 */
const PACE_MS = 1_000;

export interface AnswerStreamPorts {
  readonly client: WebClient;
  /** A person's own workspace; null when Slack doesn't say. */
  readonly teamOf: (user: string) => Promise<string | null>;
  /** Whether nothing waits to be shown in the channel: a stream must not overtake it. */
  readonly isClear: (channel: string) => Promise<boolean>;
  readonly log: { debug(details: object, message: string): void };
}

/** One answer as it is streamed into its thread, in pieces of whole words. */
export class AnswerStream {
  readonly #ports: AnswerStreamPorts;
  readonly #place: SlackThread;
  readonly #recipient: string | null;
  /** All of the model's text so far. */
  #text = '';
  /** How much of it Slack has, or is being given, in characters. */
  #sent = 0;
  /** How many characters that is as they were sent. */
  #length = 0;
  /** The next piece: it waits for its time, or is on its way. */
  #next: NodeJS.Timeout | 'sending' | null = null;
  /** When the next piece may be sent at the earliest, in milliseconds since the epoch. */
  #nextAt = 0;
  #ts: string | null = null;
  /** Nothing more is appended: Slack refused, or the stream has ended. */
  #closed = false;
  /** No further piece begins: the rest goes with the end. */
  #isEnding = false;
  /** Calls to Slack, in order; never rejects. */
  #queue: Promise<void> = Promise.resolve();

  /** `recipient` is the Slack user whom the answer is for; null where they have no account in Slack. */
  constructor(ports: AnswerStreamPorts, place: SlackThread, recipient: string | null) {
    this.#ports = ports;
    this.#place = place;
    this.#recipient = recipient;
  }

  /** Adds the model's next text, and sends what is whole of it when it is time. Failures are ignored. */
  add(text: string): void {
    this.#text += text;
    // Only a blank ends a word: without one, there's no more to show than before.
    if (/\s/.test(text)) this.#sendMore();
  }

  /**
   * Ends the stream in Slack, complete or as it is; its ts, or null when there is none. Rejects when the
   * stream may continue for now.
   */
  async end(how: 'whole' | 'partial'): Promise<string | null> {
    this.#isEnding = true;
    // The whole answer follows in another way, so the rest needn't be streamed.
    if (how === 'partial') this.#closed = true;
    if (this.#next !== 'sending') clearTimeout(this.#next ?? undefined);
    await this.#queue;
    if (this.#ts === null) return null;
    const rest = how === 'whole' ? answerText(this.#text.slice(this.#sent)) : '';
    const words = rest === '' || this.#length + rest.length > LONGEST ? {} : { markdown_text: rest };
    const { client, log } = this.#ports;
    try {
      await client.chat.stopStream({ channel: this.#place.channel, ts: this.#ts, ...words });
    } catch (error) {
      if ('waitMs' in classifyFailure(error)) throw error;
      // Slack had already ended it.
      log.debug({ error: errorMessage(error) }, 'failed to end a stream');
    }
    return this.#ts;
  }

  #sendMore(): void {
    const isOver = this.#closed || this.#isEnding;
    if (!isOver && this.#next === null && this.#hasPiece()) this.#schedule();
  }

  #hasPiece(): boolean {
    const [sent, least] = [this.#sent, Math.max(PIECE, this.#sent * GROWTH)];
    // Looks at the text only where there's enough of it, since each of thousands of pieces comes by here.
    return this.#text.length - sent >= least && completeWords(this.#text.slice(sent)) >= least;
  }

  #schedule(): void {
    const send = () => {
      this.#next = 'sending';
      this.#queue = this.#sendPiece().finally(() => {
        this.#next = null;
        this.#sendMore();
      });
    };
    const waitMs = this.#nextAt - Date.now();
    if (waitMs > 0) this.#next = setTimeout(send, waitMs).unref();
    else send();
  }

  /** Sends all that is whole. */
  async #sendPiece(): Promise<void> {
    const { client, isClear, log } = this.#ports;
    const { channel } = this.#place;
    const [sent, length] = [this.#sent, this.#length];
    this.#nextAt = Date.now() + PACE_MS;
    try {
      if (this.#ts === null && !(await isClear(channel))) return;
      if (this.#closed) return;
      const end = sent + completeWords(this.#text.slice(sent));
      const piece = answerText(this.#text.slice(sent, end));
      if (this.#length + piece.length > LONGEST) {
        this.#closed = true;
        return;
      }
      this.#sent = end;
      this.#length += piece.length;
      if (this.#ts === null) await this.#start(piece);
      else await client.chat.appendStream({ channel, ts: this.#ts, markdown_text: piece });
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'stream of an answer failed');
      const failure = classifyFailure(error);
      if (this.#ts === null || failure.name !== 'held_back' || !('waitMs' in failure)) {
        this.#closed = true;
        return;
      }
      // Nothing was sent: this piece goes with the next one.
      this.#sent = sent;
      this.#length = length;
      this.#nextAt = Date.now() + Math.max(failure.waitMs, PACE_MS);
    }
  }

  async #start(piece: string): Promise<void> {
    const { channel, threadTs, team } = this.#place;
    const { client, teamOf } = this.#ports;
    const recipient = this.#recipient;
    const started = await client.chat.startStream({
      channel,
      thread_ts: threadTs,
      // The recipient's own team, which is another than ours in a channel that organisations share
      // (docs.slack.dev/reference/methods/chat.startStream).
      recipient_team_id: (recipient === null ? null : await teamOf(recipient)) ?? team,
      ...(recipient === null ? {} : { recipient_user_id: recipient }),
      markdown_text: piece,
    });
    this.#ts = started.ts ?? null;
  }
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
