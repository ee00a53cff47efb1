import { expect, it } from 'vitest';
import { createMask, isTooPlain, listSecrets, maskDeep } from '../../../src/lib/secret-mask.ts';

const VALUE = 'a"key/with+odd=characters&7!x';
const mask = createMask([{ name: 'KEY', value: VALUE }]);

it.each<readonly [how: string, text: string]>([
  ['as it is', VALUE],
  ['JSON-escaped', JSON.stringify(VALUE)],
  ['URL-encoded', encodeURIComponent(VALUE)],
  ['URL-encoded in small letters', encodeURIComponent(VALUE).replace(/%../g, (hex) => hex.toLowerCase())],
  ['in a form', String(new URLSearchParams([['', VALUE]])).slice(1)],
  ['JSON-escaped with its slashes', JSON.stringify(VALUE).slice(1, -1).replaceAll('/', '\\/')],
  ['in base64', Buffer.from(VALUE).toString('base64')],
  ['in base64 of the URL alphabet', Buffer.from(VALUE).toString('base64url')],
  ...[1, 2, 3, 4, 5].map(
    (before) =>
      [
        `${before} bytes into base64`,
        Buffer.from(`${'~'.repeat(before)}${VALUE}~~~`).toString('base64'),
      ] as const,
  ),
])('masks a secret %s', (_how, text) => {
  const masked = mask(`before ${text} after`);
  expect(masked).toContain('$KEY');
  expect(masked).toMatch(/^before .* after$/);
  const decoded = Buffer.from(masked.replace(/before | after|\$KEY/g, ''), 'base64').toString();
  expect(`${masked} ${decoded}`).not.toContain('with+odd');
});

it('masks a secret in base64 of the URL alphabet, where that differs', () => {
  const secret = 'k~~>~~?>key-of-ana';
  const base64url = Buffer.from(secret).toString('base64url');
  expect(base64url).not.toBe(Buffer.from(secret).toString('base64'));
  expect(base64url).toMatch(/[-_]/);
  expect(createMask([{ name: 'KEY', value: secret }])(base64url)).toBe('$KEY');
});

it('masks each line of a long one that is shorter than a key', () => {
  const lines = createMask([{ name: 'PEM', value: 'c2hvcnQtbGluZS0x\nYW5kLWFub3RoZXIx' }]);
  expect(lines('YW5kLWFub3RoZXIx, c2hvcnQtbGluZS0x')).toBe('$PEM, $PEM');
});

it('masks each of several keys, each line of a long one, and nothing of its frame', () => {
  const [one, other] = [`${'A'.repeat(20)}bcdefghijklmnopq`, `${'Z'.repeat(20)}yxwvutsrqponmlkj`];
  const several = createMask([{ name: 'KEYS', value: `k1:${one},k2:${other}` }]);
  expect(several(`k1 ${one} k2 ${other}`)).toBe('k1 $KEYS k2 $KEYS');
  const pem = createMask([
    { name: 'PEM', value: `-----BEGIN PRIVATE KEY-----\n${one}\n-----END PRIVATE KEY-----` },
  ]);
  expect(pem(`-----BEGIN PRIVATE KEY----- ${one}`)).toBe('-----BEGIN PRIVATE KEY----- $PEM');
});

it('a secret that is part of another does not break that up', () => {
  const both = createMask([
    { name: 'SHORT', value: 'secret-of-1' },
    { name: 'LONG', value: 'secret-of-1-and-more' },
  ]);
  expect(both('secret-of-1-and-more, secret-of-1')).toBe('$LONG, $SHORT');
});

it.each(['password', 'production', 'Localhost', '3000', '12345678', 'aaaabbbb', 'short1'])(
  '%j is too plain to be masked',
  (value) => {
    expect(isTooPlain(value)).toBe(true);
    expect(listSecrets([['API_KEY', value]])).toEqual([]);
  },
);

it('finds secrets by the names of variables, and passwords in addresses', () => {
  const found = listSecrets([
    ['SOME_NEW_SIGNING_KEY', 'k9-hidden-away'],
    ['AWS_SECRET_ACCESS_KEY', 'cloud-hidden-1'],
    ['REDIS_URL', 'rediss://user:p%40ss-word-9@redis.example:6379/0'],
    ['PUBLIC_URL', 'https://countersign.example'],
    ['DATA_DIR', '/var/lib/countersign-1'],
    ['MYSQL_PWD', 'db-hidden-away'],
    ['PWD', '/srv/countersign-of-ana'],
    ['OLDPWD', '/srv/elsewhere-of-ana'],
  ]);
  expect(found).toEqual([
    { name: 'SOME_NEW_SIGNING_KEY', value: 'k9-hidden-away' },
    { name: 'AWS_SECRET_ACCESS_KEY', value: 'cloud-hidden-1' },
    { name: 'REDIS_URL', value: 'p%40ss-word-9' },
    { name: 'REDIS_URL', value: 'p@ss-word-9' },
    { name: 'MYSQL_PWD', value: 'db-hidden-away' },
  ]);
});

it('masks every string of a message, however deep, and keys', () => {
  let deep: object = { [`key ${VALUE}`]: ['x', VALUE, 7, null, true] };
  for (let level = 0; level < 100_000; level += 1) deep = { deep };
  maskDeep(deep, mask);
  while ('deep' in deep && typeof deep.deep === 'object' && deep.deep !== null) deep = deep.deep;
  expect(deep).toEqual({ 'key $KEY': ['x', '$KEY', 7, null, true] });
});

it('takes time by the length of a text, not by what stands in it', () => {
  const secrets = Array.from({ length: 60 }, (_, index) => ({
    name: `K${index}`,
    value: `xoxb-${String(index).repeat(30)}`,
  }));
  const many = createMask(secrets);
  const nearly = 'xoxb-'.repeat(2_000_000);
  const began = performance.now();
  expect(many(nearly)).toBe(nearly);
  expect(performance.now() - began).toBeLessThan(10_000);
});
