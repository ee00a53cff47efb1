import type { KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { visible } from '../../presentation/text/visible.ts';
import { isDirect } from '../people/approvers.ts';
import { slackIdentity } from '../people/identity.ts';
import type { Named } from '../people/types.ts';
import type { ThreadUrl } from '../permalinks.ts';
import { actions, bold, button, type Message, richText, section, text } from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { STATUS } from '../texts/commands.ts';
import { CLOSED, closedReason, REASSIGNED, TOLD, TURN } from '../texts/messages.ts';
import { ACTIONS } from './action-ids.ts';
import { callValue } from './action-values.ts';
import { type CallView, callReference, callTitle } from './call-view.ts';
import { openLink, plainLine } from './plain-messages.ts';
import { listed } from './reminder-card.ts';
import { lineText, stateLine } from './state-line.ts';

/** The line in a thread that mentions the next approvers of a sequence. */
export function turnLine(view: CallView, mentions: readonly Named[]): Message<KnownBlock> {
  const what = TURN.waitsFor(callTitle(view));
  const names = listed(mentions);
  return {
    text: notification(`${what}${names.map(({ name }) => name).join('')}${TURN.now}`),
    blocks: [
      richText(
        `turn:${view.callKey}`,
        section(text(what), ...names.map(({ element }) => element), text(TURN.now)),
      ),
    ],
  };
}

/** What replaces that line once it is no longer their turn. */
export function turnEndedLine(view: CallView): Message<KnownBlock> {
  return plainLine(TURN.over(callTitle(view)));
}

/** The direct message to somebody who doesn't read the thread: what waits for them, or how it ended. */
export function notificationLine(calls: readonly CallView[], user: string): Message<KnownBlock> {
  const asked = calls.filter(({ call }) => call.state === 'pending');
  const waiting = asked.filter(({ call }) => !hasSpoken(call.votes, user));
  const [first] = waiting;
  if (first !== undefined) {
    const name = sentence(first.call.requester.name);
    const what = waiting.map(callTitle).join(' · ');
    return plainLine(`${TOLD.asks(name, what)} ${TOLD.inHome(waiting.length)}`);
  }
  if (asked.length > 0) return plainLine(TOLD.decided(asked.map(callTitle).join(' · ')));
  return plainLine(calls.map((view) => TOLD.state(callTitle(view), lineText(stateLine(view)))).join(' · '));
}

/** The direct message to somebody whom a call was handed to: what it is, and the way to its card where they may see that. */
export function reassignedLine(view: CallView, name: string, threadUrl: ThreadUrl): Message<KnownBlock> {
  const by = visible(REASSIGNED.by(name));
  const what = sentence(callTitle(view));
  // Nobody else sees a card in somebody's direct messages.
  const link = isDirect(view.call.threadId) ? [] : openLink(view, threadUrl);
  // What it opens is the call as it is then, so that this message is never out of date.
  const decide = button(ACTIONS.view, REASSIGNED.decide, callValue(callReference(view)), {
    style: 'primary',
  });
  return {
    text: notification(`${by}${what}${REASSIGNED.inHome}${link.length === 0 ? '' : ` ${STATUS.open}`}`),
    blocks: [
      richText(`handed:${view.callKey}`, section(text(by), bold(what), text(REASSIGNED.inHome), ...link)),
      actions(`decide:${view.callKey}`, decide),
    ],
  };
}

/** A conversation that takes no messages from the app. */
export interface ClosedPlace {
  /** What people call it, such as `#general`; null where Slack doesn't say. */
  readonly name: string | null;
  /** Slack's name for the reason. */
  readonly error: string;
}

/** Why something comes as a direct message. */
export function closedLine({ name, error }: ClosedPlace): Message<KnownBlock> {
  return plainLine(`${CLOSED.refused(name, closedReason(error))} ${CLOSED.instead}`);
}

/** The direct message above the cards of a request whose thread takes none: why it comes here, and who decides. */
export function closedNotice({
  calls,
  user,
  place,
  told,
}: {
  readonly calls: readonly CallView[];
  readonly user: string;
  readonly place: ClosedPlace;
  /** The names of those who got it too, but the requester. */
  readonly told: readonly string[];
}): Message<KnownBlock> {
  const why = CLOSED.refused(place.name, closedReason(place.error));
  const asked = calls.filter(({ call }) => call.state === 'pending');
  const [first] = asked;
  if (first === undefined) {
    return plainLine(
      `${why} ${calls.map((view) => TOLD.state(callTitle(view), lineText(stateLine(view)))).join(' · ')}`,
    );
  }
  const what = asked.map(callTitle).join(' · ');
  if (!slackIdentity.isUser(first.call.requester, user)) {
    if (asked.every(({ call }) => hasSpoken(call.votes, user))) return plainLine(TOLD.decided(what));
    return plainLine(`${TOLD.asks(sentence(first.call.requester.name), what)} ${why} ${CLOSED.decide}`);
  }
  const deciders = asked.flatMap(({ approvers }) => approvers ?? []);
  const who = [...new Set(deciders.map((one) => `${one.who} ${one.verb}`))].join('; ');
  const others = told.length === 0 ? CLOSED.inHome : CLOSED.told(told.map(sentence).join(', '));
  return plainLine(`${why} ${CLOSED.waits(what, asked.length, who)} ${others}`);
}

function hasSpoken(votes: CallView['call']['votes'], user: string): boolean {
  return votes?.some(({ actor }) => slackIdentity.isUser(actor, user)) === true;
}
