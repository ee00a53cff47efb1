import type { KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { slackIdentity } from '../people/identity.ts';
import type { Named } from '../people/types.ts';
import { type Message, richText, section, text } from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { type CallView, callTitle } from './call-view.ts';
import { plainLine } from './plain-messages.ts';
import { listed } from './reminder-card.ts';
import { lineText, stateLine } from './state-line.ts';

/** The line in a thread that mentions the next approvers of a sequence. */
export function turnLine(view: CallView, mentions: readonly Named[]): Message<KnownBlock> {
  const what = `${callTitle(view)} waits for `;
  const names = listed(mentions);
  return {
    text: notification(`${what}${names.map(({ name }) => name).join('')} now.`),
    blocks: [
      richText(
        `turn:${view.callKey}`,
        section(text(what), ...names.map(({ element }) => element), text(' now.')),
      ),
    ],
  };
}

/** What replaces that line once it is no longer their turn. */
export function turnEndedLine(view: CallView): Message<KnownBlock> {
  return plainLine(`${callTitle(view)} does not wait for that any more.`);
}

/** The direct message to somebody who doesn't read the thread: what waits for them, or how it ended. */
export function notificationLine(calls: readonly CallView[], user: string): Message<KnownBlock> {
  const asked = calls.filter(({ call }) => call.state === 'pending');
  const waiting = asked.filter(({ call }) => !hasSpoken(call.votes, user));
  const [first] = waiting;
  if (first !== undefined) {
    const name = sentence(first.call.requester.name);
    const what = waiting.map(callTitle).join(' · ');
    const where = `${waiting.length === 1 ? 'It waits' : 'They wait'} in your Home tab here.`;
    return plainLine(`${name} asks: approve ${what}? ${where}`);
  }
  if (asked.length > 0)
    return plainLine(`${asked.map(callTitle).join(' · ')}: you have decided; others do now.`);
  return plainLine(calls.map((view) => `${callTitle(view)}: ${lineText(stateLine(view))}`).join(' · '));
}

function hasSpoken(votes: CallView['call']['votes'], user: string): boolean {
  return votes?.some(({ actor }) => slackIdentity.isUser(actor, user)) === true;
}
