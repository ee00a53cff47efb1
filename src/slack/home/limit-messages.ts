import { type Limits, moreOfLimit } from '../../runs/index.ts';
import { plainLine } from '../cards/plain-messages.ts';
import type { RenderPorts } from '../outbox/render.ts';
import type { Directory } from '../people/directory.ts';
import { LIMIT_CARD } from '../texts/limits.ts';
import { findLimitOwner } from '../views/use-views.ts';
import { limitCard } from './limit-card.ts';

/** What the outbox shows of questions about limits, as they are recorded. */
export function createLimitMessages({
  limits,
  directory,
}: {
  readonly limits: Pick<Limits, 'findAnswer'>;
  readonly directory: Pick<Directory, 'nameOf' | 'channelName'>;
}): RenderPorts['limits'] {
  return {
    async card(question) {
      const [who, answer] = await Promise.all([
        findLimitOwner(directory, question),
        limits.findAnswer(question, question),
      ]);
      return { messages: [limitCard(question, who, answer)], onlyUpdate: answer !== null };
    },
    async notice(question) {
      const answer = await limits.findAnswer(question, question);
      const whom = question.kind === 'channel' ? 'channel' : 'person';
      if (answer?.state === 'taken_back') {
        const words = LIMIT_CARD.toldBack[whom](answer.by.name);
        return { messages: [plainLine(words)], onlyUpdate: true };
      }
      if (answer?.state !== 'allowed') return null;
      // In a channel nobody waits for it unless somebody was refused there.
      if (whom === 'channel' && !answer.wasAsked) return null;
      const more = moreOfLimit(question.measure, answer.amount);
      const words = LIMIT_CARD.told[whom](answer.by.name, more);
      return { messages: [plainLine(words)], onlyUpdate: false };
    },
  };
}
