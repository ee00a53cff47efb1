import type { WebClient } from '@slack/web-api';
import { errorMessage } from '../../lib/errors.ts';
import { classifyFailure } from '../client/api-errors.ts';
import type { SlackThread } from '../ids.ts';
import { answerText } from '../text/escape.ts';

/** The shortest answer that is streamed, in characters: streaming a shorter one would only flicker. */
const STREAM_FROM = 200;
/** The size of an appended piece, in characters: appendStream allows about 100 calls a minute. */
const PIECE = 250;

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
  /** How much of it was offered to Slack, in characters. */
  #offered = 0;
  /** How much of it Slack has, in characters. */
  #sent = 0;
  #ts: string | null = null;
  /** Nothing more is appended: Slack refused, or the stream has ended. */
  #closed = false;
  /** Calls to Slack, in order; never rejects. */
  #queue: Promise<void> = Promise.resolve();

  /** `recipient` is the Slack user whom the answer is for; null where they have no account in Slack. */
  constructor(ports: AnswerStreamPorts, place: SlackThread, recipient: string | null) {
    this.#ports = ports;
    this.#place = place;
    this.#recipient = recipient;
  }

  /** Adds the model's next text, and sends what is whole of it in a moment. Failures are ignored. */
  add(text: string): void {
    this.#text += text;
    if (this.#closed) return;
    const end = completeWords(this.#text);
    if (end < STREAM_FROM || end - this.#offered < PIECE) return;
    this.#offered = end;
    this.#queue = this.#queue.then(() => this.#sendUpTo(end));
  }

  /**
   * Ends the stream in Slack, complete or as it is; its ts, or null when there is none. Rejects when the
   * stream may continue for now.
   */
  async end(how: 'whole' | 'partial'): Promise<string | null> {
    // The whole answer follows in another way, so the rest needn't be streamed.
    if (how === 'partial') this.#closed = true;
    await this.#queue;
    if (this.#ts === null) return null;
    const rest = how === 'whole' ? answerText(this.#text.slice(this.#sent)) : '';
    const words = rest === '' ? {} : { markdown_text: rest };
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

  async #sendUpTo(end: number): Promise<void> {
    const { client, isClear, log } = this.#ports;
    const { channel } = this.#place;
    try {
      if (this.#ts === null && !(await isClear(channel))) return;
      if (this.#closed) return;
      const piece = answerText(this.#text.slice(this.#sent, end));
      this.#sent = end;
      if (this.#ts === null) await this.#start(piece);
      else await client.chat.appendStream({ channel, ts: this.#ts, markdown_text: piece });
    } catch (error) {
      this.#closed = true;
      log.debug({ error: errorMessage(error) }, 'stream of an answer failed');
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
