import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { createTerminalLog } from '../../../src/app/terminal-log.ts';
import { createLog } from '../../../src/lib/logger.ts';

function open(level: string) {
  const out = new PassThrough().setEncoding('utf8');
  const log = createLog(level, createTerminalLog(level, out));
  const text = () => stripVTControlCharacters(String(out.read() ?? ''));
  return { log, text };
}

it('an event is one plain line: when, how bad, what, its details and the cause', () => {
  const { log, text } = open('info');
  log.warn({ server: 'files', err: new Error('no such file\nin the folder') }, 'failed to list tools again');
  expect(text()).toMatch(
    /^\d\d:\d\d:\d\d warning: failed to list tools again \(server: files\): no such file\n$/,
  );
  log.info({}, 'audit sealed');
  expect(text()).toMatch(/^\d\d:\d\d:\d\d audit sealed\n$/);
});

it('a cause that the event names is not repeated', () => {
  const { log, text } = open('info');
  log.error({ err: new Error('disk full') }, 'thread work broke off: disk full');
  expect(text()).toMatch(/ error: thread work broke off: disk full\n$/);
});

it('stacks are shown at debug alone', () => {
  const { log, text } = open('debug');
  log.error({ err: new Error('disk full') }, 'the sweep failed');
  expect(text()).toMatch(/the sweep failed: Error: disk full\n +at /);
});

it('what the line of a server says is not logged beside it', () => {
  const { log, text } = open('info');
  log.warn({ server: 'files', reason: 'It ended.' }, 'server is down');
  log.warn({ server: 'files', reason: 'It ended.' }, 'server is still down');
  log.info({ server: 'files', tools: 3 }, 'server connected');
  expect(text()).toBe('');
});
