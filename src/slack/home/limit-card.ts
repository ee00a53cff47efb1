import type { Button, KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import type { LimitUse } from '../../runs/index.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { type LimitQuestion, limitQuestionSchema } from '../outbox/collections.ts';
import { actions, bold, button, context, type Message, richText, section, text } from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { amountText, LIMIT_CARD } from '../texts/limits.ts';

/** Parses a button's `value`; null for anything that we didn't write. */
export function parseLimitQuestion(value: string): LimitQuestion | null {
  try {
    return limitQuestionSchema.parse(JSON.parse(value));
  } catch {
    return null;
  }
}

/** Asks an admin whether somebody may use more today; `who`: their name. */
export function limitCard(question: LimitQuestion, who: string): Message<KnownBlock> {
  const words = usedUp(question, who);
  return {
    text: notification(`${words} ${LIMIT_CARD.meanwhile}`),
    blocks: [
      richText('limit', section(bold(words))),
      context('limit:about', LIMIT_CARD.meanwhile),
      actions(
        'limit:answer',
        allowButton(question),
        button(ACTIONS.leaveLimit, LIMIT_CARD.leave, JSON.stringify(question)),
      ),
    ],
  };
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
  const more = LIMIT_CARD.allow(amountText(question.measure, question.amount));
  const label = who === undefined ? more : LIMIT_CARD.allowWhom(sentence(who), more);
  return button(ACTIONS.extendLimit, label, JSON.stringify(question), { style: 'primary' });
}

/** The button that takes back what was allowed. */
export function takeBackButton(question: LimitQuestion): Button {
  return button(ACTIONS.takeBackLimit, LIMIT_CARD.takeBack, JSON.stringify(question));
}

/** The card once an admin has answered; `undo`: with a button that takes it back. */
export function answeredLimitCard(
  question: LimitQuestion,
  { who, answer, undo }: { readonly who: string; readonly answer: string; readonly undo: boolean },
): Message<KnownBlock> {
  const words = usedUp(question, who);
  return {
    text: notification(`${words} ${answer}`),
    blocks: [
      richText('limit', section(bold(words)), section(text(answer))),
      ...(undo ? [actions('limit:undo', takeBackButton(question))] : []),
    ],
  };
}

function usedUp({ measure, limit }: LimitQuestion, who: string): string {
  return LIMIT_CARD.usedUp(sentence(who), amountText(measure, limit));
}
