import type { Clock } from '../../lib/clock.ts';
import type { Put } from '../../storage/store.ts';
import type { LimitReached } from '../texts.ts';
import type { Answer, Extended, Extensions, LimitAnswer } from './extensions.ts';
import {
  type AskedLimit,
  identifyLimit,
  type LimitId,
  type LimitListener,
  type LimitSettings,
  readLimit,
} from './settings.ts';
import { endOfDay, toDay } from './usage.ts';

interface QuestionsPorts {
  readonly extensions: Extensions;
  readonly settings: LimitSettings;
  readonly clock: Clock;
}

/** Asks admins whether limits that are used up are extended, takes their answers, and has both shown. */
export class LimitQuestions {
  readonly #ports: QuestionsPorts;
  #listener: LimitListener | null = null;

  constructor(ports: QuestionsPorts) {
    this.#ports = ports;
  }

  listen(listener: LimitListener): void {
    this.#listener = listener;
  }

  /** Asks, unless that has been done. What fails is tried again with the next refusal. */
  ask(reached: LimitReached): void {
    const listener = this.#listener;
    if (!listener) return;
    this.#ports.extensions
      .ask(identifyLimit(reached), (question) => listener.announce({ ...reached, question }, null))
      .then((question) => question !== null && listener.notify({ ...reached, question }, null))
      .catch(() => undefined);
  }

  extend(limit: LimitId, answer: Answer & { readonly amount: number }): Promise<Extended> {
    return this.#show(limit, answer, (announce) =>
      this.#ports.extensions.extend(identifyLimit(limit), answer, announce),
    );
  }

  takeBack(limit: LimitId, answer: Answer): Promise<Extended> {
    return this.#show(limit, answer, (announce) =>
      this.#ports.extensions.takeBack(identifyLimit(limit), answer, announce),
    );
  }

  leave(limit: LimitId, answer: Answer): Promise<Extended> {
    return this.#show(limit, answer, (announce) =>
      this.#ports.extensions.leave(identifyLimit(limit), answer, announce),
    );
  }

  /** How a question was answered; `until`: when its day ends, in milliseconds since the epoch. */
  find(
    limit: LimitId,
    { question, until }: { readonly question: number; readonly until: number },
  ): Promise<LimitAnswer | null> {
    return this.#ports.extensions.answer(identifyLimit(limit), { question, day: toDay(until - 1) });
  }

  async #show(
    { kind, id, measure }: LimitId,
    { question, by }: Answer,
    answer: (announce: (extra: number) => readonly Put[]) => Promise<Extended>,
  ): Promise<Extended> {
    const daily = readLimit(this.#ports.settings[kind], measure);
    if (daily === null) return { state: 'unset' };
    const untilMs = endOfDay(this.#ports.clock());
    const asked = (limit: number): AskedLimit => ({ kind, id, measure, question, limit, daily, untilMs });
    const listener = this.#listener;
    const answered = await answer((extra) => listener?.announce(asked(daily + extra), by) ?? []);
    if (answered.state === 'done') listener?.notify(asked(daily), by);
    return answered;
  }
}
