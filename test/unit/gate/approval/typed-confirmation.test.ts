import { expect, it } from 'vitest';
import { confirmationProblems } from '../../../../src/gate/approval/typed-confirmation.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { callRecord } from '../../slack/cards/fixtures.ts';

function problemsOf(args: JsonObject, typed: Record<string, string>) {
  const rule = { rule: 'r', reason: null, policyVersion: 'v', confirmByTyping: ['to'] };
  const call = callRecord({ arguments: args, verdict: { action: 'ask', ...rule } });
  return confirmationProblems(call, typed);
}

it.each<[string, JsonObject]>([
  ['empty', { to: '' }],
  ['blank', { to: ' \n\t' }],
  ['missing', {}],
])('a value that is %s is confirmed by nothing', (_what, args) => {
  for (const typed of [{}, { to: '' }, { to: ' ' }]) {
    expect(problemsOf(args, typed)).toEqual({
      to: 'The policy wants to typed, and it is missing here or blank, so this can’t be approved.',
    });
  }
});

it('a value is confirmed by itself, with blanks around it or without, and by nothing else', () => {
  expect(problemsOf({ to: 'ana' }, { to: ' ana ' })).toEqual({});
  for (const typed of ['', 'Ana', 'an a']) {
    expect(problemsOf({ to: 'ana' }, { to: typed })).toEqual({ to: 'This isn’t the value of to.' });
  }
});
