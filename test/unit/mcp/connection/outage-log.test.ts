import { expect, test } from 'vitest';
import { createOutageLog } from '../../../../src/mcp/connection/outage-log.ts';

const MINUTE = 60_000;

/** An outage log whose time is set by hand, with what it said at each level. */
function outage() {
  const said: string[] = [];
  const at = (level: string) => (details: { reason?: string }, message: string) =>
    void said.push([level, message, ...(details.reason === undefined ? [] : [details.reason])].join(' | '));
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const time = { now: 0 };
  return { log: createOutageLog({ server: 'ledger', logger, clock: () => time.now }), said, time };
}

test('a server that is down is said once, and each further attempt at debug', () => {
  const { log, said } = outage();
  for (let attempt = 0; attempt < 3; attempt += 1) log.down('Nothing answers.');
  expect(said).toEqual([
    'warn | server is down | Nothing answers.',
    'debug | server is still down | Nothing answers.',
    'debug | server is still down | Nothing answers.',
  ]);
});

test('another reason is said, once, and other numbers are no other reason', () => {
  const { log, said } = outage();
  log.down('It ended: pid 12 died at 10:01.');
  log.down('It ended: pid 345 died at 10:02.');
  log.down('Nothing answers.');
  log.down('It ended: pid 678 died at 10:03.');
  expect(said.filter((line) => line.startsWith('warn'))).toEqual([
    'warn | server is down | It ended: pid 12 died at 10:01.',
    'warn | server is still down | Nothing answers.',
  ]);
});

test('each hour it is said again', () => {
  const { log, said, time } = outage();
  for (time.now = 0; time.now <= 130 * MINUTE; time.now += MINUTE) log.down('Nothing answers.');
  expect(said.filter((line) => line.startsWith('warn'))).toEqual([
    'warn | server is down | Nothing answers.',
    'warn | server is still down | Nothing answers.',
    'warn | server is still down | Nothing answers.',
  ]);
});

test.each([
  [400, '1 second'],
  [45_000, '45 seconds'],
  [3 * MINUTE + 20_000, '3 minutes'],
  [26 * 60 * MINUTE, '26 hours'],
])('after %i ms it is connected again after %s', (ms, words) => {
  const { log, said, time } = outage();
  log.connected(3);
  log.down('Nothing answers.');
  time.now = ms;
  log.connected(3);
  time.now += MINUTE;
  log.down('Nothing answers.');
  expect(said).toEqual([
    'info | server connected',
    'warn | server is down | Nothing answers.',
    `info | server connected again after ${words}`,
    'warn | server is down | Nothing answers.',
  ]);
});

test('a server that ends again as soon as it is connected is one spell, until it lasts', () => {
  const { log, said, time } = outage();
  log.connected(3);
  for (let times = 0; times < 3; times += 1) {
    log.down('It ended.');
    time.now += MINUTE / 2;
    log.connected(3);
    time.now += MINUTE - 1;
  }
  time.now += 1;
  log.connected(3);
  log.down('It ended.');
  expect(said.filter((line) => !line.startsWith('debug'))).toEqual([
    'info | server connected',
    'warn | server is down | It ended.',
    'info | server connected again after 30 seconds',
    'info | server connected',
    'warn | server is down | It ended.',
  ]);
});

test('a server that wants a sign-in is down no more', () => {
  const { log, said } = outage();
  log.down('Nothing answers.');
  log.answered();
  log.connected(3);
  expect(said.at(-1)).toBe('info | server connected');
});
