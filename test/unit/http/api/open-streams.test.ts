import { expect, it } from 'vitest';
import { createOpenStreams } from '../../../../src/http/api/open-streams.ts';

it('a token that cannot be looked up holds up no other: theirs end, and it is tried again at the next look', async () => {
  const streams = createOpenStreams(20, new AbortController().signal);
  const broken = { now: true };
  const open = (token: string, isStillIn: () => Promise<boolean>) => {
    const seen = { isOver: false };
    void streams.open({ name: token, token, isStillIn }).over.then(() => {
      seen.isOver = true;
    });
    return seen;
  };
  const revoked = open('revoked', async () => false);
  const unknown = open('unknown', async () => {
    if (broken.now) throw new Error('the store is away');
    return false;
  });
  const alsoRevoked = open('also revoked', async () => false);
  const valid = open('valid', async () => true);
  await expect(streams.endRevoked()).rejects.toMatchObject({
    message: 'failed to look up 1 of 4 tokens',
    errors: [new Error('the store is away')],
  });
  expect([revoked, unknown, alsoRevoked, valid].map(({ isOver }) => isOver)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  broken.now = false;
  await streams.endRevoked();
  expect([unknown, valid].map(({ isOver }) => isOver)).toEqual([true, false]);
});
