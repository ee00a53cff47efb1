import { isAIMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { type Network, startNetwork } from '../../../helpers/network.ts';
import { THREAD } from '../../../helpers/people.ts';
import { startRawModel } from '../../../helpers/raw-model.ts';
import { ARGUMENTS, IDS, NAMES } from './call-shapes.ts';
import { CONTEXT, ENDINGS, ERRORS, THINKING } from './ending-shapes.ts';
import type { Row } from './shape.ts';

describe('an answer of a model ends in a card, a run, or a line that says why not:', () => {
  it.each<Row>([...IDS, ...ARGUMENTS, ...NAMES, ...ENDINGS, ...ERRORS, ...THINKING, ...CONTEXT])(
    '%s',
    async (_shape, answers, ends) => {
      const { model, requests } = await startRawModel(answers);
      const network = startNetwork({
        maxSteps: 9,
        agentPorts: (ports) => ({ ...ports, models: { main: model, router: null } }),
      });
      const { response } = await network.say('go on');
      expect(await titlesOnCards(network)).toEqual(ends.cards ?? []);
      expect(network.hub.count('list_events')).toBe(ends.ran ?? 0);
      // A call that vanishes is asked for again, and may only then come to a card.
      if (ends.cards) expect(requests).toHaveLength(answers.length);
      if (ends.line) expect(response).toMatch(ends.line);
      if (ends.heard) expect(requests.at(-1)?.messages.at(-1)?.content).toMatch(ends.heard);
      const kept = JSON.stringify([response, network.live, await network.messages()]);
      if (ends.hidden) expect(kept).not.toMatch(ends.hidden);
      if (!ends.cards) await network.expectWhole();
    },
  );
});

/** The titles of the events that wait on cards, in the order of the calls. */
async function titlesOnCards({ gate, messages }: Network): Promise<unknown[]> {
  const proposed = (await messages()).filter((it) => isAIMessage(it)).flatMap((it) => it.tool_calls ?? []);
  const records = await gate.calls.inThread(
    THREAD,
    proposed.map(({ id }) => id ?? ''),
  );
  return records.flatMap((call) => (call?.state === 'pending' ? [call.arguments.title] : []));
}
