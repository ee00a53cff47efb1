import { describe, expect, it } from 'vitest';
import { parsePath } from '../../../../src/gate/policy/argument-path.ts';
import { combinedTruth, compileConditions, whenSchema } from '../../../../src/gate/policy/conditions.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

function truth(when: unknown, args: unknown) {
  // As arguments come in: parsed from JSON, where `__proto__` is a key like any other.
  const parsed: JsonObject = JSON.parse(typeof args === 'string' ? args : JSON.stringify(args));
  return combinedTruth(compileConditions(whenSchema.parse(when))({ args: parsed, hasRead: null }));
}

describe('a condition', () => {
  it.each([
    [{ amount: { equals: 5 } }, { amount: 5 }, 'met'],
    [{ amount: { not_equals: 5 } }, { amount: 5 }, 'not_met'],
    [{ amount: { not_equals: 5 } }, { amount: 'five' }, 'unclear'],
    [{ amount: { over: 5 } }, { amount: 5 }, 'not_met'],
    [{ amount: { over: 5 } }, { amount: 5.01 }, 'met'],
    [{ amount: { over: 5 } }, { amount: '1,000.00' }, 'unclear'],
    [{ amount: { over: 5 } }, { amount: '1e309' }, 'unclear'],
    [{ amount: { over: 5 } }, { amount: '6' }, 'met'],
    [{ amount: { under: 5 } }, { amount: 5 }, 'not_met'],
    [{ amount: { under: 5 } }, { amount: -1 }, 'met'],
    [{ amount: { at_least: 5 } }, { amount: 5 }, 'met'],
    [{ amount: { at_least: 5 } }, { amount: 4.99 }, 'not_met'],
    [{ amount: { at_most: 5 } }, { amount: 5 }, 'met'],
    [{ amount: { at_most: 5 } }, { amount: 6 }, 'not_met'],
    [{ amount: { at_most: 5 } }, { amount: [1] }, 'unclear'],
    [{ amount: { over: 1, under: 5 } }, { amount: 3 }, 'met'],
    [{ amount: { over: 1, under: 5 } }, { amount: 7 }, 'not_met'],
    [{ currency: { in: ['EUR', 'USD'] } }, { currency: 'USD' }, 'met'],
    [{ currency: { not_in: ['EUR', 'USD'] } }, { currency: 'USD' }, 'not_met'],
    [{ currency: { not_in: ['EUR', 'USD'] } }, { currency: 'usd' }, 'unclear'],
    [{ title: { matches: 'Draft *' } }, { title: 'Draft of May' }, 'met'],
    [{ title: { matches: 'Draft *' } }, { title: 5 }, 'unclear'],
    [{ path: { matches: '/srv/shared/*' } }, { path: '/srv/shared/a.md' }, 'met'],
    [{ path: { matches: '/srv/shared/*' } }, { path: '/srv/shared/..;/x' }, 'unclear'],
    [{ path: { matches: '/srv/shared/*' } }, { path: '/srv/shared/．．/x' }, 'unclear'],
    [{ path: { matches: '/srv/shared/*' } }, { path: '/srv/shared/‥/x' }, 'unclear'],
    [{ path: { matches: '/srv/shared/*' } }, { path: '/srv/shared/a／．．／．．/x' }, 'unclear'],
    [{ path: { matches: '/srv/shared/*' } }, { path: '/srv/shared/%u002e%u002e/x' }, 'unclear'],
    [{ title: { regex: 'v\\d+' } }, { title: 'v12' }, 'met'],
    [{ title: { regex: 'v\\d+' } }, { title: ['v12'] }, 'unclear'],
    [{ path: { path_under: '/srv' } }, { path: '/srv/../etc' }, 'not_met'],
    [{ path: { path_under: ['/srv', '/tmp'] } }, { path: '/tmp/x' }, 'met'],
    [{ url: { host_in: '*.example.com' } }, { url: 'https://a.example.com/' }, 'met'],
    [{ url: { host_in: ['example.com'] } }, { url: 'https://example.com.evil.test/' }, 'not_met'],
    [{ to: { longer_than: 1 } }, { to: ['a', 'b'] }, 'met'],
    [{ to: { longer_than: 1 } }, { to: 'a' }, 'not_met'],
    [{ note: { exists: true } }, { note: '' }, 'met'],
    [{ note: { exists: true } }, {}, 'not_met'],
    [{ note: { exists: true } }, { note: null }, 'unclear'],
    [{ note: { missing: true } }, {}, 'met'],
    [{ note: { missing: true } }, { note: 0 }, 'not_met'],
    [{ 'a.b': { missing: true } }, { a: 'text' }, 'unclear'],
    [{ force: { exists: true, equals: true } }, {}, 'not_met'],
  ])('%j finds %j %s', (when, args, expected) => {
    expect(truth(when, args)).toBe(expected);
  });

  it.each([
    ['a bidi override', 'bob@example.com\u202e', { matches: '*@example.com' }],
    ['a zero-width space', 'pr\u200bod', { equals: 'prod' }],
    [
      '4 kB with the danger at the end',
      `${'x'.repeat(4_096)}@evil.test,a@example.com`,
      { matches: '*@example.com' },
    ],
    ['more than a pattern is run on', 'x'.repeat(20_000), { matches: 'x*' }],
    ['a list in a list', [[5]], { over: 1 }],
    ['an object', { valueOf: 5 }, { over: 1 }],
  ])('finds %s unclear', (_what, value, tests) => {
    expect(truth({ it: tests }, { it: value })).toBe('unclear');
  });

  it('finds what JSON cannot say, which no argument should hold, unclear', () => {
    const find = compileConditions(whenSchema.parse({ amount: { over: 1 } }));
    expect(combinedTruth(find({ args: { amount: Number.NaN }, hasRead: null }))).toBe('unclear');
    expect(combinedTruth(find({ args: { amount: Number.POSITIVE_INFINITY }, hasRead: null }))).toBe(
      'unclear',
    );
  });
});

describe('an argument that is not given', () => {
  it('is unclear, since only the tool knows what it takes then', () => {
    expect(truth({ force: { equals: true } }, {})).toBe('unclear');
    expect(truth({ amount: { not_equals: 5 } }, {})).toBe('unclear');
    expect(truth({ 'a[3]': { equals: 1 } }, { a: [1] })).toBe('unclear');
  });

  it.each([
    [{ force: { equals: true, default: false } }, {}, 'not_met'],
    [{ force: { equals: true, default: true } }, {}, 'met'],
    [{ force: { equals: true, default: false } }, { force: true }, 'met'],
    [{ 'a.b.c': { over: 1, default: 5 } }, { a: {} }, 'met'],
    [{ 'a.b.c': { over: 1, default: 5 } }, { a: { b: 'text' } }, 'unclear'],
    [{ 'to[*]': { equals: 'eve', default: [] } }, {}, 'not_met'],
    [{ 'to[*].name': { equals: 'eve', default: ['eve'] } }, {}, 'met'],
    [{ 'to[*].name': { equals: 'eve', default: 'bob' } }, { to: [{}] }, 'not_met'],
  ])('%j takes the default for %j: %s', (when, args, expected) => {
    expect(truth(when, args)).toBe(expected);
  });
});

describe('a path', () => {
  it.each([
    ['recipient.email', { recipient: { email: 'x' } }, 'met'],
    ['recipient.email', { recipient: 'x' }, 'unclear'],
    ['recipient.email', { recipient: null }, 'unclear'],
    ['recipient.email', { recipient: ['x'] }, 'unclear'],
    ['recipient.email', { 'recipient.email': 'x' }, 'unclear'],
    ['["recipient.email"]', { 'recipient.email': 'x' }, 'met'],
    ['["any_of"]', { any_of: 'x' }, 'met'],
    ['items[1].name', { items: [{}, { name: 'x' }] }, 'met'],
    ['items[1].name', { items: { 1: { name: 'x' } } }, 'unclear'],
    ['[*]', { a: 'x' }, 'unclear'],
    ['to[*]', { to: ['x', 'x'] }, 'met'],
    ['to[*]', { to: ['x', 'y'] }, 'unclear'],
    ['to[*]', { to: ['y', 'y'] }, 'not_met'],
    ['to[*]', { to: [] }, 'not_met'],
    ['to[*]', { to: 'x' }, 'unclear'],
    ['to[*]', { to: [['x']] }, 'unclear'],
    ['to[*][*]', { to: [['x'], ['x', 'x'], []] }, 'met'],
    ['items[*].name', { items: [{ name: 'x' }, {}] }, 'unclear'],
    ['Schlüssel mit Leerzeichen', { 'Schlüssel mit Leerzeichen': 'x' }, 'met'],
  ])('%s leads into %j: %s', (path, args, expected) => {
    expect(truth({ [path]: { equals: 'x' } }, args)).toBe(expected);
  });

  it.each([
    'constructor',
    'toString',
    'hasOwnProperty',
    'constructor.name',
    'a.constructor',
    'a.length',
    '["__proto__"]',
  ])('%s finds nothing that was not given', (path) => {
    expect(truth({ [path]: { exists: true } }, { a: {} })).toBe('not_met');
  });

  it('finds prototype keys that were given', () => {
    expect(truth({ '["__proto__"].admin': { equals: true } }, '{"__proto__": {"admin": true}}')).toBe('met');
    expect(truth({ admin: { exists: true } }, '{"__proto__": {"admin": true}}')).toBe('not_met');
    expect(truth({ constructor: { equals: 'x' } }, '{"constructor": "x"}')).toBe('met');
  });

  it.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a[',
    'a[]',
    'a[-1]',
    'a[1',
    'a["b]',
    '["a',
    'a]b',
    'a["\\x"]',
    'a[**]',
    'a"b',
  ])('is not read from %j', (text) => {
    expect(parsePath(text)).toBeNull();
  });
});

describe('any_of and not', () => {
  const anyOf = (...options: unknown[]) => ({ any_of: options });
  const a = { a: { equals: 1 } };
  const b = { b: { equals: 1 } };
  it.each([
    [anyOf(a, b), { a: 1, b: 2 }, 'met'],
    [anyOf(a, b), { a: 2, b: 2 }, 'not_met'],
    [anyOf(a, b), { a: 2 }, 'unclear'],
    [anyOf(a, b), { a: 1 }, 'met'],
    [anyOf({ ...a, ...b }), { a: 1, b: 2 }, 'not_met'],
    [{ not: a }, { a: 1 }, 'not_met'],
    [{ not: a }, { a: 2 }, 'met'],
    [{ not: a }, {}, 'unclear'],
    [{ not: { ...a, ...b } }, { a: 1, b: 2 }, 'met'],
    [{ not: { 'a[*]': { equals: 1 } } }, { a: [1, 2] }, 'unclear'],
    [{ ...a, not: b, any_of: [{ c: { equals: 1 } }] }, { a: 1, b: 2, c: 1 }, 'met'],
    [{ ...a, not: b }, { a: 2 }, 'not_met'],
  ])('%j finds %j %s', (when, args, expected) => {
    expect(truth(when, args)).toBe(expected);
  });
});

describe('session.has_read', () => {
  const judge = (when: unknown, hasRead: ReadonlySet<'private' | 'untrusted'> | null) =>
    combinedTruth(
      compileConditions(whenSchema.parse(when))({ args: { session: { has_read: 'x' } }, hasRead }),
    );
  const untrusted = new Set(['untrusted'] as const);
  const both = new Set(['private', 'untrusted'] as const);

  it.each([
    [{ 'session.has_read': 'untrusted' }, untrusted, 'met'],
    [{ 'session.has_read': 'private' }, untrusted, 'not_met'],
    [{ 'session.has_read': ['private', 'untrusted'] }, both, 'met'],
    [{ 'session.has_read': ['private', 'untrusted'] }, untrusted, 'not_met'],
    [{ 'session.has_read': 'untrusted' }, null, 'unclear'],
    [{ not: { 'session.has_read': 'untrusted' } }, untrusted, 'not_met'],
    [{ not: { 'session.has_read': 'untrusted' } }, null, 'unclear'],
    [{ any_of: [{ 'session.has_read': 'private' }, { 'session.has_read': 'untrusted' }] }, untrusted, 'met'],
    // An argument of that path.
    [{ '["session"].has_read': { equals: 'x' } }, null, 'met'],
  ])('%j, having read %o, is %s', (when, hasRead, expected) => {
    expect(judge(when, hasRead)).toBe(expected);
  });

  it('takes no other word', () => {
    expect(whenSchema.safeParse({ 'session.has_read': 'secrets' }).success).toBe(false);
    expect(whenSchema.safeParse({ 'session.has_read': [] }).success).toBe(false);
  });
});
