import { expect, it } from 'vitest';
import { whyNotListening } from '../../../src/app/listen-errors.ts';
import { ConfigError } from '../../../src/lib/errors.ts';

const PLACE = { host: 'nowhere', port: 80, variable: 'PORT' } as const;
const failure = (code: string) => Object.assign(new Error('listen'), { code });

it.each([
  ['ENOTFOUND', 'HOST=nowhere is not an address'],
  ['EAI_AGAIN', 'HOST=nowhere is not an address'],
  ['EADDRNOTAVAIL', 'HOST=nowhere is not an address'],
  ['EACCES', 'Port 80 may not be used by this user. Set PORT'],
  ['EADDRINUSE', 'Port 80 is taken. Stop what uses it, or set PORT'],
])('%s is told as: %s', (code, words) => {
  const told = whyNotListening(failure(code), PLACE);
  expect(told).toBeInstanceOf(ConfigError);
  expect(told).toMatchObject({ userMessage: expect.stringContaining(words) });
});

it('an error that is no question of settings stays what it is', () => {
  const error = failure('EMFILE');
  expect(whyNotListening(error, PLACE)).toBe(error);
});
