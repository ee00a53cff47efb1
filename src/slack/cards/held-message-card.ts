import type { KnownBlock } from '@slack/types';
import { isOpenDoubt } from '../../gate/types.ts';
import { actions, bold, button, type Message, richText, section, text } from '../text/block-kit.ts';
import { listMessage } from '../text/list-message.ts';
import { andMore, HELD, waitsForOther } from '../texts/messages.ts';
import { ACTIONS } from './action-ids.ts';
import { type CallView, callTitle } from './call-view.ts';

const LISTED = 5;

/** A message that arrived while calls of its thread wait for a person. */
interface HeldMessageView {
  /** The message and what it waits for; opaque. */
  readonly key: string;
  readonly calls: readonly CallView[];
}

/** The card that asks whether the new message is feedback on what waits, or replaces it. */
export function heldMessageCard({ key, calls }: HeldMessageView): Message<KnownBlock> {
  const { waits, question, buttons } = describeHeldMessage(calls);
  const list = calls.length === 1 ? [] : calls.slice(0, LISTED).map((view) => text(`\n• ${callTitle(view)}`));
  const more = calls.length > LISTED ? [text(`\n${andMore(calls.length - LISTED)}`)] : [];
  return listMessage(waits, [
    richText(
      `pending:${key}`,
      section(bold(waits), ...list, ...more, text(HELD.kept(question)), text(HELD.bothMeans)),
    ),
    actions(
      `pending-actions:${key}`,
      ...[...buttons, BOTH, LEAVE].map(([action, label]) => button(action, label, key)),
    ),
  ]);
}

/** The line for a message of somebody else than the person whose request waits. */
export function parkedLine(key: string, requester: string): Message<KnownBlock> {
  const words = waitsForOther(requester);
  return listMessage(words, [
    richText(`pending:${key}`, section(text(words))),
    actions(`pending-actions:${key}`, button(...BOTH, key)),
  ]);
}

interface Words {
  readonly waits: string;
  readonly question: string;
  readonly buttons: readonly (readonly [action: string, label: string])[];
}

const AS_FEEDBACK = [ACTIONS.useAsFeedback, HELD.asFeedback] as const;
const AS_ANSWER = [ACTIONS.useAsAnswer, HELD.asAnswer] as const;
const WITHDRAW = [ACTIONS.withdrawPending, HELD.withdraw] as const;

const BOTH = [ACTIONS.doBoth, HELD.both] as const;
const LEAVE = [ACTIONS.leavePending, HELD.leave] as const;

/**
 * The card's text and buttons, besides those that leave all as it is. Only pending calls can be rejected, only a single waiting question can be
 * answered by a message that names none, and a call in doubt leaves only one choice: go on without it.
 */
function describeHeldMessage(calls: readonly CallView[]): Words {
  const [first] = calls;
  const count = calls.length;
  const what = count === 1 && first !== undefined ? callTitle(first) : HELD.actions(count);
  const pending = calls.filter(({ call }) => call.state === 'pending');
  const questions = pending.filter(({ call }) => call.kind === 'question');
  const answer = questions.length === 1 ? [AS_ANSWER] : [];
  if (pending.length > questions.length) {
    return {
      waits: HELD.waitForDecision(what, count),
      question: HELD.aboutThat,
      buttons: [AS_FEEDBACK, ...answer, WITHDRAW],
    };
  }
  if (questions.length === 1) {
    return {
      waits: count === 1 ? HELD.questionWaits(what) : HELD.waitForYou(what, count),
      question: HELD.isAnswer,
      buttons: [...answer, WITHDRAW],
    };
  }
  if (calls.every(({ call }) => isOpenDoubt(call))) {
    return {
      waits: HELD.unclear(what, count),
      question: HELD.afterSettled(count),
      buttons: [[ACTIONS.withdrawPending, HELD.goOn]],
    };
  }
  return {
    waits: HELD.waitForYou(what, count),
    question: HELD.after,
    buttons: [WITHDRAW],
  };
}
