import { errorMessage } from '../../lib/errors.ts';
import type { MailboxItem } from '../../runs/index.ts';
import { readSlackUser, type SlackThread, slackThreadId } from '../ids.ts';
import { AnswerStream, type AnswerStreamPorts } from './answer-stream.ts';
import type { ShownStep } from './pieces.ts';

/** The answers that this process streams, by the messages that they answer. Failures are ignored. */
export class AnswerStreams {
  readonly #ports: AnswerStreamPorts;
  readonly #streams = new Map<string, { readonly place: SlackThread; readonly stream: AnswerStream }>();

  constructor(ports: AnswerStreamPorts) {
    this.#ports = ports;
  }

  /** Adds the model's next text. */
  add(item: MailboxItem, place: SlackThread, text: string): void {
    this.#streamFor(item, place).add(text);
  }

  /** Shows a step; one that ends needs no stream of its own. */
  show(item: MailboxItem, place: SlackThread, step: ShownStep): void {
    const stream =
      step.state === 'running' ? this.#streamFor(item, place) : this.#streams.get(item.itemId)?.stream;
    stream?.show(step);
  }

  /** Says how far a running step is. */
  tell(itemId: string, stepId: string, words: string): void {
    this.#streams.get(itemId)?.stream.tell(stepId, words);
  }

  /** Calls follow the text so far. Many words stay as a marked line, and the answer starts a new message. */
  pause(itemId: string): void {
    const stream = this.#streams.get(itemId)?.stream;
    if (!stream || stream.pause()) return;
    this.#streams.delete(itemId);
    this.#ignoreFailure(stream.endAsSaid());
  }

  /**
   * Ends the stream of an answer; its ts, or null when nothing was streamed. Rejects with Slack's error
   * when a retry makes sense.
   */
  async finish(itemId: string): Promise<string | null> {
    const stream = this.#streams.get(itemId)?.stream;
    if (!stream) return null;
    const ts = await stream.end('partial');
    this.#streams.delete(itemId);
    return ts;
  }

  /**
   * Takes back what was streamed in a thread before calls that people are now asked about: their card says it. Nothing
   * is streamed while people are waited for, because Slack ends a stream that stands still.
   */
  takeBack(threadId: string): void {
    for (const [itemId, { place, stream }] of this.#streams) {
      if (slackThreadId(place) !== threadId) continue;
      this.#streams.delete(itemId);
      this.#ignoreFailure(stream.discard());
    }
  }

  /**
   * Moves what is being streamed in a place below what was just posted there, such as a form: the answer to come belongs
   * below it.
   */
  moveBelow({ channel, threadTs }: SlackThread): void {
    for (const [itemId, { place, stream }] of this.#streams) {
      if (place.channel !== channel || place.threadTs !== threadTs || !stream.hasBegun) continue;
      this.#streams.set(itemId, { place, stream: stream.anew() });
      this.#ignoreFailure(stream.discard());
    }
  }

  #streamFor({ itemId, actor }: MailboxItem, place: SlackThread): AnswerStream {
    const known = this.#streams.get(itemId)?.stream;
    if (known) return known;
    const stream = new AnswerStream(this.#ports, place, readSlackUser(actor.id));
    this.#streams.set(itemId, { place, stream });
    return stream;
  }

  #ignoreFailure(ending: Promise<unknown>): void {
    ending.catch((error: unknown) =>
      this.#ports.log.debug({ error: errorMessage(error) }, 'stream left for Slack to end'),
    );
  }
}
