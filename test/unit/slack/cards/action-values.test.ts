import { describe, expect, it } from 'vitest';
import {
  callValue,
  moreValue,
  parseCallValue,
  parseExtendValue,
  parseMoreValue,
} from '../../../../src/slack/cards/action-values.ts';

const DIGEST = 'a'.repeat(64);

describe('the value of a button', () => {
  it('is read as it was written', () => {
    expect(parseCallValue(callValue({ callKey: 'k1', digest: DIGEST }))).toEqual({
      callKey: 'k1',
      digest: DIGEST,
    });
    const placed = { callKey: 'k1', digest: DIGEST, place: 'b'.repeat(16) };
    expect(parseCallValue(callValue(placed))).toEqual(placed);
    for (const told of [
      { callKey: 'k1', digest: DIGEST, news: 'c'.repeat(16) },
      { ...placed, news: 'c'.repeat(16) },
    ])
      expect(parseCallValue(callValue(told))).toEqual(told);
    expect(parseMoreValue(moreValue('withdraw', 'k1'))).toEqual({ choice: 'withdraw', callKey: 'k1' });
  });

  it.each([
    '',
    'k1',
    'k1:',
    `:${DIGEST}`,
    `k1:${DIGEST}0`,
    `k1:${DIGEST.toUpperCase()}`,
    `k1:k2:${DIGEST}`,
    `k1:${DIGEST}:`,
    `k1:${DIGEST}::`,
    `k1:${DIGEST}::c`,
    `k1:${DIGEST}:${'b'.repeat(16)}:`,
    `k1:${DIGEST}:${'b'.repeat(16)}:${'c'.repeat(16)}:${'d'.repeat(16)}`,
  ])('is nothing where it was made up: %j', (value) => {
    expect(parseCallValue(value)).toBeNull();
  });

  it.each(['', 'withdraw', 'withdraw:', ':k1', 'approve:k1', 'withdraw:k1:k2', `withdraw:${'k'.repeat(65)}`])(
    'is no choice of a menu where it was made up: %j',
    (value) => {
      expect(parseMoreValue(value)).toBeNull();
    },
  );

  it.each(['', 'extend:k1', 'extend:k1:', 'extend:k1:-1', 'extend:k1:100', 'extend::1'])(
    'is no deadline to extend where it was made up: %j',
    (value) => {
      expect(parseExtendValue(value)).toBeNull();
    },
  );
});
