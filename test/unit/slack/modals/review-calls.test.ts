import { describe, expect, it } from 'vitest';
import { reviewCallsModal } from '../../../../src/slack/modals/review-calls.ts';
import { callView } from '../cards/fixtures.ts';

describe('the form that reviews a plan', () => {
  const form = (neededBy: readonly number[]) => {
    const [one, two] = [
      { ...callView({ after: [] }), callKey: 'one', neededBy },
      { ...callView({ after: ['c1'] }), callKey: 'two' },
    ];
    const calls = [one, two];
    return JSON.stringify(reviewCallsModal({ requestKey: 'r', calls, approvable: new Set(['one', 'two']) }));
  };

  it('says where a step is rejected that others go with it, and which', () => {
    expect(form([2])).toContain('Is rejected; steps that need it don’t run either');
    expect(form([2])).toContain('Without this, step 2 doesn’t run.');
    expect(form([])).toContain('"Is rejected"');
    expect(form([])).not.toContain('Without this');
  });

  it('promises only what its order keeps', () => {
    expect(form([2])).toContain('runs as shown here, in its turn, once what it needs is done');
  });
});
