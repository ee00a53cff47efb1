import type { Button, KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { type LimitAnswer, type LimitUse, limitAmount, moreOfLimit } from '../../runs/index.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { nameOwner } from '../cards/use-sections.ts';
import { type LimitQuestion, limitQuestionSchema } from '../outbox/collections.ts';
import { actions, bold, button, context, type Message, richText, section, text } from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { isolated } from '../text/isolate.ts';
import { LIMIT_CARD } from '../texts/limits.ts';

/** Parses a button's `value`; null for anything that we didn't write. */
export function parseLimitQuestion(value: string): LimitQuestion | null {
  try {
    return limitQuestionSchema.parse(JSON.parse(value));
  } catch {
    return null;
  }
}

/** Asks an admin whether somebody may use more today, or says how that was answered; `who`: their name. */
export function limitCard(
  question: LimitQuestion,
  who: string,
  answer: LimitAnswer | null,
): Message<KnownBlock> {
  const words = usedUp(question, who);
  const then = answer === null ? LIMIT_CARD.meanwhile : answerText(question, answer);
  const buttons = answerButtons(question, answer);
  return {
    text: notification(`${words} ${then}`),
    blocks: [
      ...(answer === null
        ? [richText('limit', section(bold(words))), context('limit:about', then)]
        : [richText('limit', section(bold(words)), section(text(then)))]),
      ...(buttons.length === 0 ? [] : [actions('limit:answer', ...buttons)]),
    ],
  };
}

function answerText({ measure }: LimitQuestion, answer: LimitAnswer): string {
  if (answer.state === 'over') return LIMIT_CARD.over;
  const by = isolated(sentence(answer.by.name));
  if (answer.state === 'allowed') return LIMIT_CARD.allowed(by, moreOfLimit(measure, answer.amount));
  return answer.state === 'left' ? LIMIT_CARD.left(by) : LIMIT_CARD.takenBack(by);
}

/** What is left to do: whoever left a limit as it is, or another admin, may still extend it. */
function answerButtons(question: LimitQuestion, answer: LimitAnswer | null): readonly Button[] {
  switch (answer?.state) {
    case undefined:
      return [allowButton(question), button(ACTIONS.leaveLimit, LIMIT_CARD.leave, JSON.stringify(question))];
    case 'left':
      return [allowButton(question)];
    case 'allowed':
      return [takeBackButton(question)];
    case 'taken_back':
    case 'over':
      return [];
  }
}

/** The question about a limit of today, which ends `until`: as much again. */
export function toQuestion(
  { kind, id, measure, question, limit, daily }: Omit<LimitUse, 'used' | 'allowed'>,
  until: number,
): LimitQuestion {
  return { kind, id, measure, question, limit, amount: daily, until };
}

/** The button that allows more; `who`: on a list of several, whom. */
export function allowButton(question: LimitQuestion, who?: string): Button {
  const more = LIMIT_CARD.allow(moreOfLimit(question.measure, question.amount));
  const label = who === undefined ? more : LIMIT_CARD.allowWhom(nameOwner(question, who), more);
  return button(ACTIONS.extendLimit, label, JSON.stringify(question), { style: 'primary' });
}

/** The button that takes back what was allowed. */
export function takeBackButton(question: LimitQuestion): Button {
  return button(ACTIONS.takeBackLimit, LIMIT_CARD.takeBack, JSON.stringify(question));
}

function usedUp(question: LimitQuestion, who: string): string {
  const { measure, limit } = question;
  return LIMIT_CARD.usedUp(nameOwner(question, who), limitAmount(measure, limit));
}
