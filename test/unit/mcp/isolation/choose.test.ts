import { expect, it } from 'vitest';
import { sandboxSchema } from '../../../../src/mcp/config/sandbox.ts';
import { acceptableProtections } from '../../../../src/mcp/isolation/choose.ts';

const ALL = ['namespace', 'user', 'parent', 'none'];

it.each([
  ['nothing', {}, ALL],
  ['a protection', { protection: 'parent' }, ['parent']],
  ['no network', { network: false }, ['namespace']],
  ['folders', { folders: [] }, ['namespace']],
  ['another user without the network', { protection: 'user', network: false }, []],
])('an entry that asks for %s takes what gives it, the strongest first', (_asked, entry, expected) => {
  expect(acceptableProtections(sandboxSchema.parse(entry), { strict: false })).toEqual(expected);
});

it.each([
  ['nothing', {}, ['namespace', 'user']],
  ['the weaker', { protection: 'parent' }, []],
  ['none', { protection: 'none' }, []],
])('strict takes only what hides our files too: of an entry that asks for %s', (_asked, entry, expected) => {
  expect(acceptableProtections(sandboxSchema.parse(entry), { strict: true })).toEqual(expected);
});
