import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Ids } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { createListeners } from '../lib/listeners.ts';
import type { Logger } from '../lib/logger.ts';
import { FairSlots } from '../lib/slots/fair-slots.ts';
import { ownWords } from '../lib/text/own-words.ts';
import { unlessAborted } from '../lib/timeout.ts';
import { absent, put, type Store, type Stored, unchanged } from '../storage/store.ts';
import { BLANK, type MemoryRecord, memories } from './collections.ts';
import { readLearned, toLine, toQuestion } from './extract.ts';
import type { AskModel, MemoryMode, PersonMemory, Said, TellFirst } from './ports.ts';
import { change, forget, forgetAll, mayLearn, recall, remember, turn } from './remember.ts';

/**
 * How long after a message its learning begins, in milliseconds: a run's own first steps and its first card take some 20 of
 * them (docs/decisions/0063, bench/RESULTS.md), and would share the thread with it.
 */
const BEGINS_AFTER_MS = 250;
/** How many messages the model is asked about at a time, one of each person. */
const AT_ONCE = 4;
/** How many may wait for that. The others aren't learned from. */
const MOST_WAITING = 200;
/** How long one answer of the model may take, in milliseconds. */
const WITHIN_MS = 30_000;

interface MemoryPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  /** Aborted when the process is asked to stop: what isn't learned by then isn't. */
  readonly stopping: AbortSignal;
  /** Whether the operator wants anything learned and told. */
  readonly isEnabled: boolean;
}

/**
 * What is remembered of people, each by themselves: what they said of themselves in messages of theirs, and how they like
 * answers. A model finds it beside the run, which doesn't wait.
 */
export class Memory {
  readonly #ports: MemoryPorts;
  readonly #slots = new FairSlots(AT_ONCE);
  readonly #changed = createListeners<[personId: string]>();
  #tellFirst: TellFirst | null = null;
  #learning = 0;

  constructor(ports: MemoryPorts) {
    this.#ports = ports;
  }

  /** Hears of people of whom something was learned. */
  onLearned = this.#changed.add;

  /** Names who tells people, the first time that something is remembered of them. Until then nobody is told. */
  tellFirstBy(tell: TellFirst): void {
    this.#tellFirst = tell;
  }

  /** Has a message learned from, a moment later. Neither waits for it nor fails. */
  learn(said: Said, ask: AskModel): void {
    if (!this.#ports.isEnabled || this.#learning >= MOST_WAITING) return;
    const words = ownWords(said.text);
    if (words === '') return;
    this.#learning += 1;
    this.#learn(said, words, ask)
      .catch((err: unknown) => {
        if (!this.#ports.stopping.aborted) this.#ports.log.debug({ err }, 'failed to learn from a message');
      })
      .finally(() => {
        this.#learning -= 1;
      });
  }

  /**
   * What the model is told of somebody who asks in this channel, null for direct messages; or that nothing is remembered of
   * them. Null where there is nothing. Never rejects.
   */
  async recall(
    personId: string,
    place: string | null,
  ): Promise<JsonObject | Exclude<MemoryMode, 'on'> | null> {
    if (!this.#ports.isEnabled) return 'not_here';
    try {
      const { value } = await this.#read(personId);
      return value.isOn ? recall(value, place) : 'turned_off';
    } catch (err) {
      this.#ports.log.warn({ err }, 'failed to read what is remembered of somebody');
      return null;
    }
  }

  async read(personId: string): Promise<PersonMemory> {
    const { isOn, items } = (await this.#read(personId)).value;
    const own = isOn ? 'on' : 'turned_off';
    return { mode: this.#ports.isEnabled ? own : 'not_here', items };
  }

  /** Changes the text of an item; false where there is no such item any more, or no text. */
  async change(personId: string, id: string, text: string): Promise<boolean> {
    const line = toLine(text);
    if (line === '') return false;
    return this.#update(personId, (record) => change(record, id, line, this.#ports.clock()));
  }

  /** Forgets an item; false where there is no such item any more. */
  forget(personId: string, id: string): Promise<boolean> {
    return this.#update(personId, (record) => forget(record, id));
  }

  /** Forgets everything. What was said until now isn't learned any more. */
  async forgetAll(personId: string): Promise<void> {
    await this.#update(personId, (record) => forgetAll(record, this.#ports.clock()));
  }

  /** Turns it on or off for a person; false where it's off for everybody, which nobody can change. What is remembered stays. */
  async turn(personId: string, isOn: boolean): Promise<boolean> {
    if (!this.#ports.isEnabled) return false;
    await this.#update(personId, (record) => turn(record, isOn, this.#ports.clock()));
    return true;
  }

  async #learn(said: Said, words: string, ask: AskModel): Promise<void> {
    const { stopping, ids } = this.#ports;
    const { personId } = said;
    await delay(BEGINS_AFTER_MS, undefined, { ref: false, signal: stopping });
    const release = await this.#slots.acquire({ owner: personId, atMost: 1, signal: stopping });
    try {
      const { value: before } = await this.#read(personId);
      if (!mayLearn(before, said)) return;
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(WITHIN_MS)]);
      const answer = await unlessAborted(ask(toQuestion(words, before.items), signal), signal);
      const learned = readLearned(answer, words);
      const isNew = await this.#update(personId, (record) => {
        if (!mayLearn(record, said)) return null;
        const found = remember(record, learned, said, ids);
        return found.added.length === 0 ? null : found.record;
      });
      if (isNew) this.#changed.notify(personId);
      await this.#tell(said);
    } finally {
      release();
    }
  }

  /** Tells a person what is remembered of them, unless they were told before that anything is. */
  async #tell({ personId, threadId }: Said): Promise<void> {
    const { isOn, isTold, items } = (await this.#read(personId)).value;
    if (!isOn || isTold || items.length === 0 || this.#tellFirst === null) return;
    if (!(await this.#tellFirst({ personId, threadId, items }))) return;
    await this.#update(personId, (record) => ({ ...record, isTold: true }));
  }

  async #read(
    personId: string,
  ): Promise<{ readonly stored: Stored<MemoryRecord> | null; readonly value: MemoryRecord }> {
    const stored = await this.#ports.store.get(memories, personId);
    return { stored, value: stored?.value ?? BLANK };
  }

  /** Changes a person's record, as it is then; false where there is nothing to change. */
  async #update(personId: string, next: (record: MemoryRecord) => MemoryRecord | null): Promise<boolean> {
    for (;;) {
      const { stored, value } = await this.#read(personId);
      const changed = next(value);
      if (changed === null) return false;
      const { committed } = await this.#ports.store.commit({
        expect: [stored ? unchanged(memories, stored) : absent(memories, personId)],
        put: [put(memories, personId, changed)],
      });
      if (committed) return true;
    }
  }
}
