import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { classifyCallError } from '../../../../src/mcp/protocol/call-errors.ts';

const call = { server: 'calendar', name: 'create_event' };

function http(status: number): Error {
  return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'POST', { status });
}

function fetchFailed(code: string, syscall?: string): Error {
  const cause = Object.assign(new Error(code), { code, ...(syscall === undefined ? {} : { syscall }) });
  return new TypeError('fetch failed', { cause });
}

test.each<[string, unknown]>([
  ['an error that the server answered with', new ProtocolError(-32602, 'MCP error -32602: no title')],
  ['a client that is not connected', new SdkError(SdkErrorCode.NotConnected, 'Not connected')],
  ['a refused connection', fetchFailed('ECONNREFUSED', 'connect')],
  ['a host that is not found', fetchFailed('ENOTFOUND', 'getaddrinfo')],
  ['names that cannot be looked up for now', fetchFailed('EAI_AGAIN', 'getaddrinfo')],
  ['a host that cannot be reached', fetchFailed('EHOSTUNREACH', 'connect')],
  ['a network that cannot be reached', fetchFailed('ENETUNREACH', 'connect')],
  ['a connection that is not made in time', fetchFailed('UND_ERR_CONNECT_TIMEOUT')],
  [
    'every address of a host refusing',
    new TypeError('fetch failed', {
      cause: new AggregateError([Object.assign(new Error(''), { code: 'ECONNREFUSED', syscall: 'connect' })]),
    }),
  ],
  ['HTTP 400', http(400)],
  ['HTTP 401', http(401)],
  ['HTTP 404', http(404)],
  ['HTTP 429', http(429)],
])('%s is a failure: nothing happened', (_what, error) => {
  expect(classifyCallError(error, call).result).toMatchObject({
    kind: 'ended',
    outcome: { status: 'failed' },
  });
});

test.each<[string, unknown]>([
  ['a closed connection', new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed')],
  ['a time-out', new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out')],
  [
    'a web page',
    new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'Unexpected content type: text/html'),
  ],
  ['JSON that is cut off', new SyntaxError('Unexpected end of JSON input')],
  ['an answer that cannot be read', new SdkError(SdkErrorCode.InvalidResult, 'Invalid result')],
  ['an answer that is too deep', new RangeError('Maximum call stack size exceeded')],
  ['a connection reset', fetchFailed('ECONNRESET')],
  ['a host that goes away while its answer is read', fetchFailed('EHOSTUNREACH', 'read')],
  ['a network that goes away while the call is written', fetchFailed('ENETUNREACH', 'write')],
  ['a refusal of something that is not connecting', fetchFailed('ECONNREFUSED', 'read')],
  ['HTTP 408', http(408)],
  ['HTTP 500', http(500)],
  ['HTTP 503', http(503)],
  ['an error that nobody has thought of', new Error('?')],
  ['something that is not an error', 'thrown'],
])('%s leaves the call in doubt', (_what, error) => {
  expect(classifyCallError(error, call).result).toMatchObject({
    kind: 'ended',
    outcome: { status: 'in_doubt' },
  });
});

test.each<[string, unknown, boolean]>([
  ['a refused connection', fetchFailed('ECONNREFUSED', 'connect'), true],
  ['a connection that is not made in time', fetchFailed('UND_ERR_CONNECT_TIMEOUT'), true],
  ['a closed connection', new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'), true],
  ...[404, 429, 502, 503].map((status): [string, unknown, boolean] => [`HTTP ${status}`, http(status), true]),
  ...[400, 401, 403, 408, 500, 501, 504].map((status): [string, unknown, boolean] => [
    `HTTP ${status}`,
    http(status),
    false,
  ]),
  ['an answer that cannot be read', new SdkError(SdkErrorCode.InvalidResult, 'Invalid result'), false],
  ['a web page', new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'text/html'), false],
])('%s may go well in a moment: %3$s', (_what, error, isPassing) => {
  expect(classifyCallError(error, call).isPassing).toBe(isPassing);
});

test('the server’s words are kept, without the number that the protocol puts before them', () => {
  expect(
    classifyCallError(new ProtocolError(-32602, 'MCP error -32602: no title'), call).result,
  ).toMatchObject({
    outcome: { message: 'calendar refused create_event: no title' },
  });
});

test.each([{}, { elicitations: [] }, { elicitations: [{ url: 'https://example.com' }] }, undefined])(
  'a request for a page that does not say which is a failure: %j',
  (data) => {
    expect(classifyCallError(new ProtocolError(-32042, 'sign in', data), call).result).toMatchObject({
      kind: 'ended',
      outcome: { status: 'failed' },
    });
  },
);

test.each([
  ['a name of its own that is too long', { elicitationId: 'x'.repeat(501) }],
  ['an address that is too long', { url: `https://example.com/${'x'.repeat(8_000)}` }],
])('a request for a page with %s is a failure that says so', (_what, changes) => {
  const page = { elicitationId: 'page 1', url: 'https://example.com', message: 'Connect', ...changes };
  const error = new ProtocolError(-32042, 'sign in', { elicitations: [page] });
  expect(classifyCallError(error, call).result).toMatchObject({
    outcome: { status: 'failed', message: 'calendar asks for more than can be shown; nothing was done.' },
  });
});

test('an answer that is too deep to be read is not asked for again: it would come again', () => {
  expect(classifyCallError(new RangeError('Maximum call stack size exceeded'), call)).toMatchObject({
    isPassing: false,
    connectionLost: false,
    result: { outcome: { message: expect.stringContaining('something too deep to be read after') } },
  });
});
