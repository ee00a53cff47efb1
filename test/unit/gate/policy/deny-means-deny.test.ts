import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { Json, JsonObject } from '../../../../src/lib/json.ts';

type Tests = JsonObject;

function actionOf(policy: unknown, args: JsonObject, tool = 'do'): string {
  return compilePolicy(policySchema.parse(policy))({ server: 'x', tool, arguments: args }).action;
}

/** What becomes of a call with this value under a rule that denies it, where all else is allowed. */
function denied(tests: Tests, value: Json): string {
  return actionOf(
    { default: 'allow', rules: [{ tools: 'x.*', when: { it: tests }, action: 'deny' }] },
    { it: value },
  );
}

/** What becomes of it under a rule that allows all others. */
function allowedUnless(tests: Tests, value: Json): string {
  return actionOf(
    { default: 'ask', rules: [{ tools: 'x.*', when: { not: { it: tests } }, action: 'allow' }] },
    { it: value },
  );
}

/** What becomes of it under a rule that allows it, where all else is denied. */
function allowed(tests: Tests, value: Json): string {
  return actionOf(
    { default: 'deny', rules: [{ tools: 'x.*', when: { it: tests }, action: 'allow' }] },
    { it: value },
  );
}

const EVIL = { matches: '*@evil.test' };
const LOCAL = { host_in: ['127.0.0.1', 'strasse.example', '*.evil.test'] };
const SECRET = { path_under: '/srv/secret' };

describe('a value that some server takes for a forbidden one', () => {
  it.each<[Tests, Json]>([
    ...[
      'Eve <x@evil.test>',
      'x@evil.test.',
      'x@evil.test, bob@example.com',
      'bob@example.com; x@evil.test',
      'bob@example.com\nx@evil.test',
      '<x@evil.test>',
      '"x@evil.test"',
      '"x y"@evil.test',
      'x@(comment)evil.test',
      'x@evil.test (Eve)',
      'x @ evil . test',
      'x@evil.test@example.com',
      'mailto:x@evil.test?subject=hi',
      'Friends: x@evil.test;',
      'x%40evil.test',
      'x%2540evil.test',
      'ｘ＠ｅｖｉｌ．ｔｅｓｔ',
      'X@EVIL.TEST',
      'x@ev\u200bil.test',
      '["x@evil.test"]',
      ['x@evil.test'],
      { email: 'x@evil.test' },
    ].map((value): [Tests, Json] => [EVIL, value]),
    ...['Eve <x@evil.test>', 'x@evil.test.', 'bob@example.com,x@evil.test', 'x%40evil.test'].flatMap(
      (value): [Tests, Json][] => [
        [{ regex: '.*@evil\\.test' }, value],
        [{ equals: 'x@evil.test' }, value],
        [{ in: ['a@evil.test', 'x@evil.test'] }, value],
      ],
    ),
    [{ matches: '*@münchen.example' }, 'x@xn--mnchen-3ya.example'],
    [{ matches: '*@xn--mnchen-3ya.example' }, 'Eve <x@MÜNCHEN.example>'],
    [{ equals: 'prod' }, 'test,prod'],
    [{ equals: 'prod' }, 'test\nprod'],
    [{ equals: 'prod' }, '"prod"'],
    [{ equals: 'prod' }, 'pr%6fd'],
    [{ equals: 'prod' }, `${'x,'.repeat(6_000)}prod`],
    [{ matches: 'prod-*' }, 'test-1,prod-2'],
    [{ equals: 'internal' }, 'İNTERNAL'],
    [{ equals: 'evil.test' }, 'evil.test.'],
    [{ equals: 'münchen.example' }, 'xn--mnchen-3ya.example'],
    [{ equals: '127.0.0.1' }, '0x7f.1'],
    [{ equals: 'https://evil.test' }, 'HTTPS://me@Evil.test.:443/#x'],
    [{ equals: 'https://evil.test/a' }, 'https://evil.test/b/../%61'],
    [{ equals: '/etc/passwd' }, '/etc/./x/../passwd'],
    [{ matches: '*.env' }, '/srv/.env/.'],
    [{ matches: '/etc/*' }, '//etc/passwd'],
    [{ equals: null }, 'null'],
    [{ equals: null }, ''],
    ...[
      'http://[::ffff:7f00:1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[0:0:0:0:0:ffff:7f00:0001]/',
      'http://[::7f00:1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://[2002:7f00:1::]/',
      'http://[::1]/',
      'http://[::]/',
      'http://0.0.0.0/',
      'http://0/',
      'http://127.1/',
      'http://0177.0.0.1/',
      'http://0x7f000001/',
      'http://2130706433/',
      'http://localhost:8080/',
      'http://a.localhost/',
      'http://straße.example/',
      'http://x..evil.test/',
      'http://.evil.test/',
      'http://x.evil.test../',
      '//x.evil.test/',
      'x.evil.test',
      'ftp://x.evil.test/',
      ' http://x.evil.test/',
      'http://example.com@x.evil.test/',
      'http://example.com\\@x.evil.test/',
      ['http://x.evil.test/'],
    ].map((value): [Tests, Json] => [LOCAL, value]),
    [{ host_in: '[::ffff:7f00:1]' }, 'http://127.0.0.1/'],
    [{ host_in: '169.254.169.254' }, 'http://[::ffff:a9fe:a9fe]/'],
    ...[
      '/srv/secre?/x',
      '/srv/[s]ecret/x',
      '/srv/sec"ret"/x',
      "/srv/sec're't/x",
      '/srv/sec\\ret/x',
      '/srv/shared/.?/secret/x',
      '/srv/shared/?./secret/x',
      '/srv/shared/??/secret/x',
      '/srv/shared/.[.]/secret/x',
      '/srv/shared/+(.)/secret/x',
      '/srv/shared/.[[:punct:]]/secret/x',
      '/srv/shared/.[].]/secret/x',
      '/srv/shared/"."./secret/x',
      '/srv/shared/.\\.\\/secret/x',
      '/srv/SECRET/x',
      '/srv/secret./x',
      '/srv/ secret/x',
      '/srv/shared/../secret/x',
      '/proc/self/root/srv/secret/x',
      '/proc/1/task/1/root/srv/secret/x',
      '/proc/self/cwd/x',
      '/dev/fd/3',
      '~/x',
      '$HOME/x',
      'secret/x',
      '',
      '/srv/shared\u0000/../secret',
    ].map((value): [Tests, Json] => [SECRET, value]),
    [{ path_under: '/etc' }, '/private/etc/passwd'],
    [{ path_under: '/private/etc' }, '/etc/passwd'],
  ])('%j: %j is denied, and never allowed', (tests, value) => {
    expect(denied(tests, value)).toBe('deny');
    expect(allowedUnless(tests, value)).toBe('ask');
  });

  it.each<[Tests, Json]>([
    [{ matches: '*@example.com' }, 'eve@evil.test, bob@example.com'],
    [{ regex: '.*@example\\.com' }, 'eve@evil.test, bob@example.com'],
    [{ regex: '.+@example\\.com' }, 'eve@evil.test <bob@example.com'],
    [{ matches: '*@example.com' }, 'eve%40evil.test@example.com'],
    [{ host_in: '*.example.com' }, 'https://.example.com/'],
    [{ host_in: '*.example.com' }, 'https://a..example.com/'],
    [{ path_under: '/srv/shared' }, '/srv/shared/.?/secret'],
    [{ path_under: '/srv/shared' }, '/srv/shared/.[.]/secret'],
    [{ path_under: '/srv/shared' }, '/srv/shared/..?x/secret'],
    [{ path_under: '/srv/shared' }, '/srv/shared/..#/secret'],
    [{ path_under: '/srv/shared' }, "/srv/shared/'.'./secret"],
    [{ path_under: '/srv/shared' }, '/srv/shared/.\\.\\/secret'],
    [{ path_under: '/srv/shared' }, '/srv/shared/<</secret'],
  ])('%j: %j is not allowed by it', (tests, value) => {
    expect(allowed(tests, value)).toBe('deny');
  });
});

describe('an argument that some server reads as the one of a rule', () => {
  const dry = (tests: Tests, action: string) => ({
    default: action === 'deny' ? 'allow' : 'deny',
    rules: [{ tools: 'x.*', when: tests, action }],
  });

  it.each<[Tests, JsonObject]>([
    [{ amount: { over: 100 } }, { amount: 5, Amount: 5_000 }],
    [{ amount: { over: 100 } }, { amount: 5, AMOUNT: 5_000 }],
    [{ amount: { over: 100 } }, { amount: 5, ａmount: 5_000 }],
    [{ force: { equals: true, default: false } }, { Force: true }],
    [{ dry_run: { equals: false, default: true } }, { dryRun: false }],
    [{ dryRun: { equals: false, default: true } }, { 'dry-run': false }],
    [{ 'to.email': { equals: 'eve' } }, { to: { email: 'bob', eMail: 'eve' } }],
    [{ 'to[*].email': { equals: 'eve' } }, { to: [{ email: 'bob', Email: 'eve' }] }],
    [{ force: { exists: true } }, { Force: true }],
  ])('%j: %j is denied', (when, args) => {
    expect(actionOf(dry(when, 'deny'), args)).toBe('deny');
  });

  it('keeps an allow from being sure', () => {
    const policy = dry({ amount: { at_most: 100 } }, 'allow');
    expect(actionOf(policy, { amount: 5 })).toBe('allow');
    expect(actionOf(policy, { amount: 5, Amount: 5_000 })).toBe('deny');
  });
});

describe('a tool whose name is written differently', () => {
  const NAMES = [
    ...['Delete_all', 'DELETE_ALL', 'deleteAll', 'delete-all', 'ｄelete_all', 'delete\u200b_all'],
    ...['delete.all', 'delete/all', 'Delete:All'],
  ];

  it.each(NAMES)('%s is what a deny of x.delete_* is about, but no allow of it', (tool) => {
    const rule = (action: string, tools = 'x.delete_*') => ({ rules: [{ tools, action }] });
    expect(actionOf({ default: 'allow', ...rule('deny') }, {}, tool)).toBe('deny');
    expect(actionOf({ default: 'allow', ...rule('ask') }, {}, tool)).toBe('ask');
    expect(actionOf({ default: 'allow', ...rule('deny', 'x.delete_all') }, {}, tool)).toBe('deny');
    expect(actionOf({ default: 'deny', ...rule('allow') }, {}, tool)).toBe('deny');
  });

  it.each(['deleted_items', 'undelete_all', 'list_all', 'removeAll', 'x.delete_all'])(
    '%s is another tool',
    (tool) => {
      const policy = { default: 'allow', rules: [{ tools: ['x.delete_*', 'x_x.*'], action: 'deny' }] };
      expect(actionOf(policy, {}, tool)).toBe('allow');
    },
  );
});

describe('an ordinary value', () => {
  it.each<[Tests, Json, boolean]>([
    [EVIL, 'bob@example.com', false],
    [EVIL, 'Bob Smith <bob@example.com>', false],
    [EVIL, '"Smith, Bob" <bob@example.com>, Ana <ana.b+c@sub.example.com>', false],
    [EVIL, 'x@evil.test', true],
    [EVIL, 'x@sub.evil.test', false],
    [EVIL, 'x@notevil.test', false],
    [EVIL, 'Bob', false],
    [EVIL, 'Let us meet at 5 pm, 100% sure. Ask bob@example.com.', false],
    [{ matches: '*@example.com' }, 'bob.smith+lists@example.com', true],
    [{ regex: '.*@example\\.com' }, 'bob@example.com', true],
    [{ regex: 'Contact: .*@example\\.com' }, 'Contact: bob@example.com', true],
    [{ regex: '.*(confidential|salary).*' }, 'Notes, plans and bob@example.com', false],
    [{ regex: '[A-Z].*\\.' }, 'All is well.', true],
    [{ matches: 'Invoice *' }, 'Invoice 12, for May (final).', true],
    [{ matches: 'Invoice *' }, 'An Invoice 12', false],
    [{ matches: 'Invoice *' }, 'Dear Bob, Invoice 12 is here', false],
    [{ matches: 'docs/*' }, 'docs/a b/c.md', true],
    [{ matches: 'docs/*' }, 'notes/docs.md', false],
    [{ equals: 'prod' }, 'prod', true],
    [{ equals: 'prod' }, 'production', false],
    [{ equals: 'prod' }, 'Deploy to test, then prod it gently.', false],
    [{ equals: 'prod' }, 'test/prod', false],
    [{ equals: '' }, 'a,,b', false],
    [{ equals: 'Budget' }, 'Budget 2027', false],
    [{ in: ['EUR', 'USD'] }, 'GBP', false],
    [{ in: ['EUR', 'USD'] }, 'USD', true],
    [{ equals: 'x' }, 'y, '.repeat(20_000), false],
    [{ equals: null }, 'nothing', false],
    [{ equals: true }, false, false],
    [{ over: 100 }, 99.5, false],
    [{ over: 100 }, '1200', true],
    [LOCAL, 'https://example.com/a?b=http://x.evil.test/', false],
    [LOCAL, 'https://192.168.0.1:8080/', false],
    [LOCAL, 'http://[2001:db8::1]/', false],
    [LOCAL, 'https://münchen.example/', false],
    [LOCAL, 'https://strasse.example', true],
    [LOCAL, 'https://a.b.evil.test:443/x', true],
    [LOCAL, 'https://evil.test/', false],
    [LOCAL, 'http://127.0.0.1:3000', true],
    [SECRET, '/srv/secret/a.txt', true],
    [SECRET, '/srv/shared/[id]/page.tsx', false],
    [SECRET, '/srv/shared/What now?.md', false],
    [SECRET, "/srv/shared/Bob's notes (1).md", false],
    [SECRET, '/srv/shared/C#/R&D, v1.2.md', false],
    [SECRET, '/srv/secrets/a', false],
    [SECRET, '/var/lib/x', false],
    [SECRET, '/dev/null', false],
    [SECRET, '/private/tmp/x', false],
    [{ path_under: '/srv/shared' }, '/srv/shared/app/(group)/[...slug]/[[...more]]/page.tsx', true],
    [{ path_under: '/srv/shared' }, '/srv/shared/What now?.md', true],
    [{ path_under: '/srv/shared' }, "/srv/shared/Bob's notes #2.md", true],
    [{ path_under: '/private/tmp' }, '/private/tmp/x', true],
    [{ longer_than: 2 }, ['a', 'b'], false],
    [{ longer_than: 2 }, 'abc', true],
  ])('%j: %j is judged for certain', (tests, value, isMet) => {
    expect(denied(tests, value)).toBe(isMet ? 'deny' : 'allow');
    expect(allowed(tests, value)).toBe(isMet ? 'allow' : 'deny');
  });
});

/** Changes to a text that some server undoes. */
const anyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((up) => [...text].map((it, at) => (up[at] ? it.toUpperCase() : it)).join(''));
const wide = (text: string) => text.replace(/[!-~]/g, (it) => String.fromCharCode(it.charCodeAt(0) + 0xfee0));
const encoded = (text: string) =>
  text.replace(/[a-z@.]/g, (it) => `%${it.charCodeAt(0).toString(16).padStart(2, '0')}`);
const hidden = (text: string) => [...text].join('\u200b');
const blank = (text: string) => ` ${text}\t`;
const ONE_TEXT = [wide, encoded, hidden, blank, (text: string) => `${text}.`, (text: string) => `"${text}"`];
const LISTED = [
  (text: string) => `Eve <${text}>`,
  (text: string) => `bob@example.com, ${text}`,
  (text: string) => `${text};bob@example.com`,
  (text: string) => `mailto:${text}`,
  (text: string) => text.replace('@', ' @ '),
  (text: string) => text.replace('@', '@(x)'),
];

describe('property: however a forbidden value is rewritten, it is denied and never allowed', () => {
  const rewritten = (text: string, ways: readonly ((text: string) => string)[]) =>
    fc
      .tuple(anyCase(text), fc.array(fc.constantFrom(...ways), { maxLength: 2 }))
      .map(([start, chosen]) => chosen.reduce((it, rewrite) => rewrite(it), start));

  it.each<[Tests, string, readonly ((text: string) => string)[]]>([
    [{ equals: 'prod' }, 'prod', ONE_TEXT],
    [{ in: ['prod', 'live'] }, 'live', [...ONE_TEXT, (text) => `test,${text}`]],
    [{ matches: 'prod-*' }, 'prod-1', ONE_TEXT],
    [{ regex: 'prod-\\d' }, 'prod-1', ONE_TEXT],
    [{ matches: '*@evil.test' }, 'x@evil.test', [...ONE_TEXT, ...LISTED]],
    [{ regex: '.*@evil\\.test' }, 'x@evil.test', [...ONE_TEXT, ...LISTED]],
    [{ equals: 'x@evil.test' }, 'x@evil.test', [...ONE_TEXT, ...LISTED]],
    [
      { host_in: ['evil.test', '*.evil.test'] },
      'http://a.evil.test',
      [...ONE_TEXT, (text) => text.replace('//', '//me@'), (text) => `${text}:80/`],
    ],
    [
      { path_under: '/srv/secret' },
      '/srv/secret/x',
      [...ONE_TEXT, (text) => text.replace('/srv/', '/srv/a/../'), (text) => text.replaceAll('/', '//')],
    ],
  ])('%j: %j', (tests, forbidden, ways) => {
    expect(denied(tests, forbidden)).toBe('deny');
    fc.assert(
      fc.property(rewritten(forbidden, ways), (value) => {
        expect([value, denied(tests, value)]).toEqual([value, 'deny']);
        expect([value, allowedUnless(tests, value)]).toEqual([value, 'ask']);
      }),
      { numRuns: 200 },
    );
  });

  it('for tools, whatever their names are written like', () => {
    const words = fc.array(fc.constantFrom('delete', 'all', 'rows'), { minLength: 1, maxLength: 3 });
    const styles: readonly ((words: readonly string[]) => string)[] = [
      (all) => all.join('-'),
      (all) => all.map((it) => it.toUpperCase()).join('_'),
      (all) => all.map((it) => `${it.charAt(0).toUpperCase()}${it.slice(1)}`).join(''),
      (all) => wide(all.join('_')),
      (all) => hidden(all.join('_')),
    ];
    fc.assert(
      fc.property(words, fc.constantFrom(...styles), (more, style) => {
        const name = ['drop', ...more];
        const policy = (tools: string) => ({ default: 'allow', rules: [{ tools, action: 'deny' }] });
        expect(actionOf(policy(`x.${name.join('_')}`), {}, style(name))).toBe('deny');
        expect(actionOf(policy('x.drop_*'), {}, style(name))).toBe('deny');
      }),
    );
  });
});
