import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditEntries } from '../../../../src/gate/audit/chain.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { RefusalError } from '../../../../src/gate/call/refusal.ts';
import { matchesArguments } from '../../../../src/gate/grants/match.ts';
import { grantSchema } from '../../../../src/gate/grants/record.ts';
import {
  describeGrantPattern,
  type GrantPattern,
  grantPatternSchema,
  matchesGrantPattern,
} from '../../../../src/gate/policy/limits.ts';
import type { Json, JsonObject } from '../../../../src/lib/json.ts';
import { beginning, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const inputSchema = {
  type: 'object',
  properties: { title: { type: 'string' }, amount: { type: 'number' }, path: { type: 'string' } },
};
const json = fc.jsonValue() as fc.Arbitrary<Json>;
/** Values near to what patterns let through, so that the boundary is met often. */
const near = fc.oneof(
  json,
  fc.integer({ min: -5, max: 15 }),
  fc.double({ noNaN: true }),
  fc
    .array(
      fc.constantFrom(
        'Inv',
        'inv',
        'oice',
        ' ',
        '/',
        '..',
        '.',
        'srv',
        'shared',
        '\u200b',
        'é',
        '7',
        '*',
        '\\',
        '%2e',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
  fc
    .array(fc.constantFrom('..', '.', 'srv', 'shared', 'a'), { maxLength: 6 })
    .map((parts) => `/${parts.join('/')}`),
);

function grantWith(...patterns: GrantPattern[]) {
  return { fixed: { title: 'Standup' }, free: [], patterns };
}

describe('an argument with a pattern', () => {
  it('that begins with something is never let through when it does not', () => {
    const grant = grantWith({ argument: 'path', tests: { matches: 'Inv*' } });
    fc.assert(
      fc.property(near, (path) => {
        if (matchesArguments(grant, { title: 'Standup', path }))
          expect(String(path).startsWith('Inv')).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(matchesArguments(grant, { title: 'Standup', path: 'Invoice 7' })).toBe(true);
  });

  it('under a folder is never let through when it leads elsewhere', () => {
    const grant = grantWith({ argument: 'path', tests: { path_under: '/srv/shared' } });
    fc.assert(
      fc.property(near, (path) => {
        if (!matchesArguments(grant, { title: 'Standup', path })) return;
        expect(`${posix.normalize(String(path))}/`).toMatch(/^\/srv\/shared\//);
      }),
      { numRuns: 2_000 },
    );
    expect(matchesArguments(grant, { title: 'Standup', path: '/srv/shared/a' })).toBe(true);
  });

  it('between two numbers is never let through when it is not', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 5 }), fc.nat(10), near, (least, more, amount) => {
        const tests = { at_least: least, at_most: least + more };
        const fits = matchesArguments(grantWith({ argument: 'amount', tests }), { title: 'Standup', amount });
        if (fits) expect(Number(amount) >= least && Number(amount) <= least + more).toBe(true);
        const isPlain = typeof amount === 'number' && amount >= least && amount <= least + more;
        if (isPlain) expect(fits).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('changes nothing for the others: what stays must be just so, and nothing may be new', () => {
    const grant = grantWith({ argument: 'amount', tests: { at_most: 10 } });
    fc.assert(
      fc.property(json, json, (title, other) => {
        fc.pre(title !== 'Standup');
        expect(matchesArguments(grant, { title, amount: 3 })).toBe(false);
        expect(matchesArguments(grant, { title: 'Standup', amount: 3, other })).toBe(false);
      }),
    );
    expect(matchesArguments(grant, { title: 'Standup', amount: 3 })).toBe(true);
  });

  it.each<[string, GrantPattern['tests'], Json | undefined]>([
    ['is not given', { at_most: 10 }, undefined],
    ['is null', { at_most: 10 }, null],
    ['can be read in two ways', { at_most: 10 }, '1.000'],
    ['is a list with one that fits', { matches: 'Inv*' }, ['Invoice']],
    ['has something unseen in it', { matches: 'Inv*' }, 'I\u200bnvoice'],
    ['climbs out of its folder', { path_under: '/srv/shared' }, '/srv/shared/../x'],
    ['is at another host', { host_in: 'example.com' }, 'https://example.com.evil.test/'],
    ['may be at another host', { host_in: 'example.com' }, 'https://example.com@evil.test/'],
  ])('that %s is not let through', (_what, tests, value) => {
    expect(matchesGrantPattern({ argument: 'it', tests }, value)).toBe(false);
  });

  it.each<[GrantPattern['tests'], string]>([
    [{ matches: 'Inv*' }, 'like Inv*'],
    [{ path_under: '/srv/shared/' }, 'in /srv/shared/'],
    [{ host_in: ['a.test', '*.b.test'] }, 'at a.test or *.b.test'],
    [{ at_most: 100 }, 'at most 100'],
    [{ at_least: 5 }, 'at least 5'],
    [{ at_least: 5, at_most: 100 }, 'from 5 to 100'],
  ])('reads %j as %s', (tests, words) => {
    expect(describeGrantPattern({ argument: 'it', tests })).toBe(words);
  });

  it('takes no condition that is not about a value, and not none', () => {
    for (const tests of [{}, { exists: true }, { default: 1 }, { matches: 'https://*' }, { at_most: '5' }]) {
      expect(grantPatternSchema.safeParse({ argument: 'it', tests }).success).toBe(false);
    }
  });
});

/** A gate where Ana has approved a call of hers and remembered it with these patterns. */
async function remembered(
  patterns: readonly GrantPattern[],
  args: JsonObject = { title: 'Standup', amount: 10 },
) {
  const fixture = openGate();
  const call = proposed('c1', { inputSchema }, args);
  await fixture.gate.requests.open(opening(await fixture.fence(), call));
  const { digest } = await fixture.call('c1');
  const terms = {
    fixed: ['title', 'amount', 'path'],
    patterns,
    scope: 'thread',
    until: 2_000_000,
    limit: 9,
  } as const;
  const remember = () => fixture.gate.grants.approveAndIssue(callKey(THREAD, 'c1'), ana, { digest, terms });
  return { fixture, remember };
}

describe('a grant with patterns', () => {
  it('lets through what is like them and asks about the rest; each use and the approval say so', async () => {
    const { fixture, remember } = await remembered([{ argument: 'amount', tests: { at_most: 100 } }]);
    const grant = await remember();
    expect(grant).toMatchObject({ fixed: { title: 'Standup' }, free: [] });
    expect(grantSchema.parse(JSON.parse(JSON.stringify(grant)))).toEqual(grant);
    expect((await fixture.call('c1')).decision?.remembered).toEqual({ until: 2_000_000 });
    const begin = async (id: string, args: JsonObject) =>
      fixture.gate.journal.begin(beginning(await fixture.fence(), proposed(id, { inputSchema }, args)));
    expect((await begin('c2', { title: 'Standup', amount: 100 })).kind).toBe('ready');
    expect((await fixture.call('c2')).grant?.patterns).toEqual(grant.patterns);
    expect((await begin('c3', { title: 'Standup', amount: 101 })).kind).toBe('waiting');
    expect((await begin('c4', { title: 'Standup' })).kind).toBe('waiting');
    expect((await begin('c5', { title: 'Retro', amount: 1 })).kind).toBe('waiting');
  });

  it('is in the audit by what is limited, and not by the values', async () => {
    const { fixture, remember } = await remembered([{ argument: 'title', tests: { matches: 'Stand*' } }]);
    await remember();
    const { items } = await fixture.store.query(auditEntries, 'byThread', {}, 50);
    const entry = items.map(({ value }) => value).find(({ what }) => what === 'granted');
    expect(entry?.details).toMatchObject({ kept: ['amount'], free: [], limited: ['title matches'] });
    expect(JSON.stringify(entry)).not.toContain('Stand*');
  });

  it.each<[string, GrantPattern]>([
    ['the call at hand is not like it', { argument: 'amount', tests: { at_most: 9 } }],
    ['the call does not give that', { argument: 'path', tests: { matches: '*' } }],
    ['there is no such argument', { argument: 'other', tests: { matches: '*' } }],
  ])('is not given where %s, and nothing is approved by it', async (_why, pattern) => {
    const { fixture, remember } = await remembered([pattern]);
    await expect(remember()).rejects.toThrow(RefusalError);
    expect((await fixture.call('c1')).state).toBe('pending');
  });
});
