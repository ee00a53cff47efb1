import { describe, expect, it } from 'vitest';
import { latestFirst, oldestFirst } from '../../../../src/gate/types.ts';
import { callRecord } from '../../slack/cards/fixtures.ts';

const at = (proposedAt: number, ordinal = 0) =>
  callRecord({ callId: `${proposedAt}.${ordinal}`, proposedAt, ordinal });

describe('the order of calls', () => {
  const calls = [at(2, 1), at(1), at(2, 0), at(3)];

  it('is by age where they wait, and as they were asked for where that is the same', () => {
    expect(oldestFirst(calls).map(({ callId }) => callId)).toEqual(['1.0', '2.0', '2.1', '3.0']);
  });

  it('is the latest first where they were asked for, those of one message as they were asked for', () => {
    expect(latestFirst(calls).map(({ callId }) => callId)).toEqual(['3.0', '2.0', '2.1', '1.0']);
  });
});
