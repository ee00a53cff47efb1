import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  isAIMessage,
  isToolMessage,
  ToolMessage,
} from '@langchain/core/messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { totalTokens } from '../../../../src/agents/context/estimate-tokens.ts';
import { createFitting, type Earlier } from '../../../../src/agents/context/fit-conversation.ts';
import { orphans } from '../../../helpers/counting-model.ts';
import { ana } from '../../../helpers/people.ts';
import { runs } from '../../../helpers/property-runs.ts';

type Decided = 'rejected' | 'corrected' | 'approved' | null;

interface Call {
  readonly tool: string;
  readonly size: number;
  readonly decided: Decided;
}

interface Turn {
  readonly words: number;
  /** What the model calls, answer by answer. */
  readonly rounds: readonly (readonly Call[])[];
  readonly isAnswered: boolean;
}

const MARKS = {
  rejected: { ruling: { kind: 'rejected', digest: 'd' } },
  corrected: { ruling: { kind: 'corrected', digest: 'd' } },
  approved: { pinned: { by: 'Bob' } },
} as const;

/** A conversation as it's kept. */
function conversation(turns: readonly Turn[]): readonly BaseMessage[] {
  const messages: BaseMessage[] = [];
  const next = () => `m${messages.length}`;
  for (const [turn, { words, rounds, isAnswered }] of turns.entries()) {
    const said = `turn ${turn} ${'word '.repeat(words)}end of ${turn}`;
    messages.push(new HumanMessage({ id: next(), content: said, additional_kwargs: { speaker: ana } }));
    for (const [round, calls] of rounds.entries()) {
      const ids = calls.map((_, index) => `call ${turn} ${round} ${index}`);
      const proposed = calls.map(({ tool }, index) => {
        return { id: ids[index] ?? '', name: tool, args: { about: `${turn} ${round} ${index}` } };
      });
      messages.push(new AIMessage({ id: next(), content: '', tool_calls: proposed }));
      for (const [index, { size, decided }] of calls.entries()) {
        const content = `result ${'{"id":"evt_1"},'.repeat(size)}`;
        const marks = decided === null ? {} : MARKS[decided];
        const status = decided === 'rejected' || decided === 'corrected' ? 'error' : 'success';
        messages.push(
          new ToolMessage({
            id: next(),
            tool_call_id: ids[index] ?? '',
            content,
            status,
            additional_kwargs: marks,
          }),
        );
      }
    }
    if (isAnswered) messages.push(new AIMessage({ id: next(), content: `answer ${turn}` }));
  }
  return messages;
}

function fitting(
  kept: readonly BaseMessage[],
  { room = 4_000, record = 600, earlier = null as Earlier | null } = {},
) {
  return { threadId: 'T', kept, view: kept, forAll: () => kept, earlier, room, record };
}

const asSent = (messages: readonly BaseMessage[]) =>
  messages.map((message) => ({
    role: message.getType(),
    ...(isAIMessage(message) && { tool_calls: (message.tool_calls ?? []).map(({ id = '' }) => ({ id })) }),
    ...(isToolMessage(message) && { tool_call_id: message.tool_call_id }),
  }));

const sizes = (...most: readonly number[]) => fc.oneof(...most.map((max) => fc.nat({ max })));
const call: fc.Arbitrary<Call> = fc.record({
  tool: fc.constantFrom('list_events', 'create_event', 'delete_event', 'send_mail'),
  size: sizes(5, 300, 6_000),
  decided: fc.constantFrom<Decided[]>('rejected', 'corrected', 'approved', null, null, null),
});
const turn: fc.Arbitrary<Turn> = fc.record({
  words: fc.oneof({ weight: 8, arbitrary: sizes(10, 200) }, { weight: 1, arbitrary: fc.constant(200_000) }),
  rounds: fc.array(fc.array(call, { minLength: 1, maxLength: 6 }), { maxLength: 4 }),
  isAnswered: fc.boolean(),
});

describe('a conversation that is fitted into a number of tokens', () => {
  it('never takes more, keeps calls and results together, and the last message whole or clearly cut', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1_200, max: 20_000 }),
        (turns, room) => {
          const record = Math.floor(Math.min(6_000, Math.max(600, room / 8), room / 2));
          const fitConversation = createFitting();
          let earlier: Earlier | null = null;
          for (let count = 1; count <= turns.length; count += 1) {
            const kept = conversation(turns.slice(0, count));
            const fitted = fitConversation(fitting(kept, { room, record, earlier }));
            earlier = fitted.earlier;
            expect(totalTokens(fitted.messages)).toBeLessThanOrEqual(room);
            expect(orphans(asSent(fitted.messages))).toBeNull();
            const asked = kept.findLast((message) => message.getType() === 'human');
            const sent = fitted.messages.findLast((message) => message.getType() === 'human');
            if (sent?.text !== asked?.text) {
              expect(sent?.text).toMatch(
                /^turn \d+ [\s\S]*\n\[cut: \d+ more characters are left out here\]\n[\s\S]*/,
              );
              expect(sent?.text.endsWith(`end of ${count - 1}`)).toBe(true);
            }
            expectRejectionsKnown(kept, fitted.messages);
          }
        },
      ),
      runs(100),
    );
  });
});

/** The tool of every rejected call is named as such, or its call and result are there; the last one's arguments too. */
function expectRejectionsKnown(kept: readonly BaseMessage[], sent: readonly BaseMessage[]): void {
  const record = sent.find(({ text }) => text.startsWith('The system’s record'))?.text ?? '';
  const named = /Calls that people rejected[^\n]*\n((?:\|[^\n]*\n?)+)/.exec(record)?.[1] ?? '';
  const there = new Set(sent.flatMap((message) => (isToolMessage(message) ? [message.tool_call_id] : [])));
  const tools = new Map(
    kept.flatMap((message) =>
      (isAIMessage(message) ? (message.tool_calls ?? []) : []).map((one) => [one.id, one]),
    ),
  );
  const rejected = kept
    .filter(({ additional_kwargs: { ruling } }) => ruling !== undefined)
    .filter(isToolMessage);
  const left = rejected
    .filter(({ tool_call_id: id }) => !there.has(id))
    .map(({ tool_call_id: id }) => tools.get(id));
  for (const one of left) expect(named).toContain(one?.name);
  const last = left.at(-1);
  if (last) expect(named).toContain(`${last.name} {"about":"${last.args.about}"}`);
}
