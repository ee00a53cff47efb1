import type { WebClient } from '@slack/web-api';
import { errorMessage } from '../../lib/errors.ts';
import { saidMessage } from '../cards/quoted-blocks.ts';
import { classifyFailure } from '../client/api-errors.ts';
import type { SlackThread } from '../ids.ts';
import { answerText } from '../text/escape.ts';
import { LIVE } from '../texts/messages.ts';
import { type Content, completeWords, content, endsWord, type ShownStep } from './pieces.ts';

/**
 * When a stream begins, in milliseconds after the model's first words: people see them within 300. An answer that is
 * there by then isn't streamed: it would only flicker, and take Slack three calls instead of one.
 */
const FIRST_MS = 200;
/** When a step begins a stream, in milliseconds: one that is quicker is only in the status. */
const LASTING_MS = 2_000;
/**
 * The shortest time between two pieces, in milliseconds. The workspace's streams share about 100 appends a
 * minute (tier 4): https://docs.slack.dev/reference/methods/chat.appendStream
 */
const PACE_MS = 1_000;
/** The share of the rate limits above which every piece is sent at its time. Below, only as a long text grows. */
const AMPLE_ROOM = 0.5;
/** The size of a piece where there is less room, in characters. */
const PIECE = 250;
/** How much longer pieces get there as the text grows: by this share of what Slack has of it. */
const GROWTH = 0.25;
/**
 * The most that a stream gets, in characters as they are sent: Slack's limit on the Markdown of one message
 * (https://docs.slack.dev/reference/methods/chat.appendStream). A longer answer ends as several messages.
 */
const LONGEST = 12_000;
/** Words before calls, up to this many characters, are on the card of the calls whole, and gone once there's an answer. */
const IN_PASSING = 200;

export interface AnswerStreamPorts {
  readonly client: WebClient;
  /** A person's own workspace; null when Slack doesn't say. */
  readonly teamOf: (user: string) => Promise<string | null>;
  /** Whether nothing waits to be shown in the channel: a stream must not overtake it. */
  readonly isClear: (channel: string) => Promise<boolean>;
  /** The free share of a method's rate limit, from 0 to 1. */
  readonly room: (method: string) => number;
  readonly log: { debug(details: object, message: string): void };
}

/** One answer as it is streamed into its thread, in pieces of whole words, with the steps that lead to it. */
export class AnswerStream {
  readonly #ports: AnswerStreamPorts;
  readonly #place: SlackThread;
  readonly #recipient: string | null;
  /** All of the model's text so far. */
  #text = '';
  /** Where the text begins that came after the last calls. */
  #partFrom = 0;
  /** How much of it Slack has, or is being given, in characters. */
  #sent = 0;
  /** How many characters that is as they were sent. */
  #length = 0;
  /** Steps that Slack has yet to be told of, by their ids. */
  readonly #steps = new Map<string, ShownStep>();
  /** The steps that have begun and not ended. */
  readonly #running = new Set<string>();
  /** Whether the last step that Slack was told of is that the agent thinks. */
  #isThinking = false;
  /** The next piece: it waits for its time, or is on its way. */
  #next: NodeJS.Timeout | 'sending' | null = null;
  /** When that is, in milliseconds since the epoch. */
  #dueAt = 0;
  /** When a piece may be sent at the earliest, likewise. */
  #nextAt = 0;
  /** When words, and steps, begin a stream, likewise; Infinity while there are none. */
  #wordsAt = Infinity;
  #stepsAt = Infinity;
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

  /** Whether Slack has anything of it, or is being given it. */
  get hasBegun(): boolean {
    return this.#ts !== null || this.#next === 'sending';
  }

  /** Adds the model's next text, and sends what is whole of it when it is time. Failures are ignored. */
  add(text: string): void {
    if (this.#text.length === this.#partFrom && this.#sent > 0 && !this.#text.endsWith('\n')) {
      this.#text += '\n\n';
      this.#partFrom = this.#text.length;
    }
    this.#text += text;
    // The first words wait for those that come at once with them.
    this.#wordsAt = Math.min(this.#wordsAt, Date.now() + FIRST_MS);
    if (endsWord(text)) this.#sendMore();
  }

  /**
   * Calls follow the text so far. Few words are shown in passing: true, and the answer goes on in the same message, or
   * without them if none of them was sent. False where there are more, which people may be reading: they end as a line of
   * their own.
   */
  pause(): boolean {
    if (this.#text.length - this.#partFrom > IN_PASSING) return false;
    if (!this.hasBegun) {
      this.#text = '';
      this.#wordsAt = Infinity;
      this.#cancelWait();
    }
    this.#partFrom = this.#text.length;
    return true;
  }

  /** Shows a step: at once where the stream has begun, else if it lasts. */
  show(step: ShownStep): void {
    if (step.state === 'running') this.#running.add(step.id);
    else this.#running.delete(step.id);
    const { hasBegun } = this;
    if (hasBegun || step.state === 'running') this.#steps.set(step.id, step);
    else this.#steps.delete(step.id);
    const at = Date.now() + (hasBegun ? 0 : LASTING_MS);
    this.#stepsAt = this.#steps.size > 0 ? Math.min(this.#stepsAt, at) : Infinity;
    this.#sendMore();
  }

  /** Says how far a step is, while it runs and there is room for more than its beginning and end. */
  tell(id: string, title: string): void {
    const isShown = this.#running.has(id);
    if (isShown && this.#ports.room('chat.appendStream') > AMPLE_ROOM) {
      this.show({ id, title, state: 'running' });
    }
  }

  /**
   * Ends the stream in Slack, complete or as it is; its ts, or null when there is none. Rejects when the
   * stream may continue for now.
   */
  async end(how: 'whole' | 'partial'): Promise<string | null> {
    this.#isEnding = true;
    // The whole answer follows in another way, so the rest needn't be streamed.
    if (how === 'partial') this.#closed = true;
    this.#cancelWait();
    await this.#queue;
    if (how === 'whole' && this.#ts === null && !this.#closed) await this.#sendPiece();
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

  /** Ends the stream, whose words were not the answer: they become one marked line. Rejects where that fails. */
  async endAsSaid(): Promise<void> {
    const ts = await this.end('whole');
    if (ts === null) return;
    const said = this.#text.slice(this.#partFrom);
    await this.#ports.client.chat.update({ channel: this.#place.channel, ts, ...saidMessage(ts, said) });
  }

  /** Ends the stream and takes its message out of the thread. Rejects where that fails, and the words stay. */
  async discard(): Promise<void> {
    const ts = await this.end('partial');
    if (ts !== null) await this.#ports.client.chat.delete({ channel: this.#place.channel, ts });
  }

  /** A stream that is still to begin, of the same answer: with the words since the last calls, and without steps. */
  anew(): AnswerStream {
    const next = new AnswerStream(this.#ports, this.#place, this.#recipient);
    const words = this.#text.slice(this.#partFrom);
    if (words !== '') next.add(words);
    return next;
  }

  #sendMore(): void {
    if (this.#closed || this.#isEnding || this.#next === 'sending') return;
    const earliest = Math.max(this.#nextAt, Math.min(this.#wordsAt, this.#stepsAt));
    // Looks at the text only where that can change anything, since each of thousands of pieces comes by here.
    if (this.#next !== null && this.#dueAt <= earliest) return;
    const wanted = Math.min(
      this.#hasWords() ? this.#wordsAt : Infinity,
      this.#steps.size > 0 ? this.#stepsAt : Infinity,
    );
    if (wanted !== Infinity) this.#schedule(Math.max(this.#nextAt, wanted));
  }

  #hasWords(): boolean {
    const sent = this.#sent;
    const method = this.#ts === null ? 'chat.startStream' : 'chat.appendStream';
    const least = this.#ports.room(method) > AMPLE_ROOM ? 1 : Math.max(PIECE, sent * GROWTH);
    return this.#text.length - sent >= least && completeWords(this.#text, sent) - sent >= least;
  }

  #schedule(at: number): void {
    this.#cancelWait();
    this.#dueAt = at;
    const send = () => {
      this.#next = 'sending';
      this.#queue = this.#sendPiece().finally(() => {
        this.#next = null;
        this.#sendMore();
      });
    };
    const waitMs = at - Date.now();
    if (waitMs > 0) this.#next = setTimeout(send, waitMs).unref();
    else send();
  }

  #cancelWait(): void {
    if (this.#next === 'sending') return;
    clearTimeout(this.#next ?? undefined);
    this.#next = null;
  }

  /** Sends all that is whole, and the steps. */
  async #sendPiece(): Promise<void> {
    const { client, isClear, log } = this.#ports;
    const { channel } = this.#place;
    const [sent, length, wasThinking] = [this.#sent, this.#length, this.#isThinking];
    const steps = [...this.#steps.values()];
    // What would have begun it has ended meanwhile.
    if (steps.length === 0 && completeWords(this.#text, sent) === sent) return;
    this.#nextAt = Date.now() + PACE_MS;
    try {
      if (this.#ts === null && !(await isClear(channel))) return;
      if (this.#closed) return;
      const end = completeWords(this.#text, sent);
      const piece = answerText(this.#text.slice(sent, end));
      if (this.#length + piece.length > LONGEST) {
        this.#closed = true;
        return;
      }
      this.#sent = end;
      this.#length += piece.length;
      this.#steps.clear();
      const shown = content(piece, [...steps, ...this.#thinkAfter(piece)]);
      if (this.#ts === null) await this.#start(shown);
      else await client.chat.appendStream({ channel, ts: this.#ts, ...shown });
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
      this.#isThinking = wasThinking;
      for (const step of steps) if (!this.#steps.has(step.id)) this.#steps.set(step.id, step);
      this.#nextAt = Date.now() + Math.max(failure.waitMs, PACE_MS);
    }
  }

  /**
   * That the agent thinks, from the end of the last step to what comes of it: told with what is sent anyway, so that it
   * takes no call.
   */
  #thinkAfter(words: string): readonly ShownStep[] {
    const isThinking = words === '' && this.#running.size === 0;
    if (isThinking === this.#isThinking) return [];
    this.#isThinking = isThinking;
    return [{ id: 'thinking', title: LIVE.thinking, state: isThinking ? 'running' : 'done' }];
  }

  async #start(first: Content): Promise<void> {
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
      ...first,
    });
    this.#ts = started.ts ?? null;
  }
}
