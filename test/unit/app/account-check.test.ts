import { expect, it } from 'vitest';
import { createAccountCheck } from '../../../src/app/dashboard/account-check.ts';
import { type Standing, StandingUnknownError } from '../../../src/gate/types.ts';
import { ana } from '../../helpers/people.ts';

it('an account that is closed is out within a minute; one that nobody can say anything of is not said to be open', async () => {
  let now = 1;
  let standing: Standing | null = 'member';
  const check = createAccountCheck(
    {
      standing: async () => {
        if (standing === null) throw new StandingUnknownError(new Error('away'));
        return standing;
      },
    },
    () => now,
  );
  expect(await check(ana.id)).toBe(true);
  standing = 'deactivated';
  now += 60_001;
  expect(await check(ana.id)).toBe(false);
  standing = null;
  now += 60_001;
  await expect(check(ana.id)).rejects.toThrow(StandingUnknownError);
});
