import { ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { READ_RESULT, readingMessage } from '../../../../src/agents/shared/read-result.ts';
import { ownerMark, readOwner } from '../../../../src/agents/shared/result-owner.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

const NAME = '0123456789ab';
const OTHER = 'ba9876543210';
/** The call of a result that the conversation has all of. */
const WHOLE = 'call_7';

/** What a run of Bob's reads, which may read on in one result. */
async function reading(result: string, owner: typeof ana | null, place: object = {}) {
  const asked: string[] = [];
  const read = async (_thread: string, kept: { readonly name: string }, from: number, length: number) => {
    asked.push(kept.name);
    return 'all of it'.slice(from, from + length);
  };
  const { name: modelName } = READ_RESULT;
  const call = {
    callId: 'c1',
    kind: 'tool' as const,
    tool: READ_RESULT,
    modelName,
    arguments: { result, ...place },
  };
  const run = { threadId: THREAD, requester: bob };
  const kept = { kept: [{ name: NAME, size: 9 }], ...ownerMark(owner) };
  const conversation = [
    new ToolMessage({ tool_call_id: 'call_6', content: 'all', additional_kwargs: kept }),
    new ToolMessage({
      tool_call_id: WHOLE,
      content: `${'line\n'.repeat(5_000)}the end`,
      additional_kwargs: ownerMark(owner),
    }),
  ];
  return { asked, message: await readingMessage(read, conversation, run, call) };
}

describe('reading on in a result', () => {
  it.each([ana, bob])('gives a part that belongs to whom the result belongs to: $name', async (owner) => {
    const { message } = await reading(NAME, owner);
    expect(message.text).toContain('all of it');
    expect(readOwner(message)).toEqual(owner);
  });

  it('gives a part that belongs to who reads it, where the result is nobody’s', async () => {
    expect(readOwner((await reading(NAME, null)).message)).toEqual(bob);
  });

  it('gives a part of a result that the conversation has, by its call', async () => {
    const { asked, message } = await reading(WHOLE, ana, { from: 24_990 });
    expect(message.text).toBe('line\nline\nthe end\n[characters 24990 to 25007, the end]');
    expect(readOwner(message)).toEqual(ana);
    expect(asked).toEqual([]);
    expect((await reading(WHOLE, null, { find: 'THE END' })).message.text).toContain('\nthe end\n');
    expect((await reading(WHOLE, null, { length: 16_000 })).message.text.length).toBeLessThan(16_100);
  });

  it('reads nothing of a name that is not shown to this run, wherever the model has it from', async () => {
    const { asked, message } = await reading(OTHER, null);
    expect(asked).toEqual([]);
    expect(message).toMatchObject({ status: 'error', content: expect.stringMatching(/^Not read: /) });
    expect(readOwner(message)).toBeNull();
  });
});
