// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the notation of the configuration.

import { describe, expect, it } from 'vitest';
import { parseServers } from '../../../../src/mcp/config/load.ts';
import { mcpServersSchema, type ServerConfig } from '../../../../src/mcp/config/schema.ts';
import { createStderrTail } from '../../../../src/mcp/connection/stderr-tail.ts';

function server(env: Record<string, string> = {}): ServerConfig {
  const { it: config } = mcpServersSchema.parse({ it: { command: 'x', env } });
  if (config === undefined) throw new Error('the schema dropped the server');
  return config;
}

function summarize(lines: readonly string[], env?: Record<string, string>): string {
  const words = createStderrTail(server(env));
  for (const line of lines) words.append(line);
  return words.text();
}

describe('the last words of a server', () => {
  it('are nothing when it said nothing', () => {
    expect(summarize(['', '  '])).toBe('');
  });

  it('are its last three lines', () => {
    expect(summarize(['one', 'two', 'three', 'four'])).toBe('two; three; four');
  });

  it('begin with the error when one is named', () => {
    expect(summarize(['starting', 'Error: ENOENT: /nope', 'a', 'b', 'c'])).toBe('Error: ENOENT: /nope; a; b');
  });

  it('leave out what a runtime says of itself', () => {
    const trace = [
      'file:///srv/server.js:3',
      "  throw new Error('no key');",
      '        ^',
      '',
      'Error: no key',
      '    at main (file:///srv/server.js:3:9)',
      'Node.js v24.1.0',
    ];
    expect(summarize(trace)).toBe('Error: no key');
  });

  it('leave out what Node says of an error beside its message', () => {
    const missing = [
      'node:internal/modules/cjs/loader:1433',
      '  throw err;',
      "Error: Cannot find module '/srv/server.js'",
      '    at Object.<anonymous> (/srv/main.js:1:1)',
      "  code: 'MODULE_NOT_FOUND',",
      '  requireStack: []',
      '}',
    ];
    expect(summarize(missing)).toBe("Error: Cannot find module '/srv/server.js'");
  });

  it('begin with the error itself, not with a source line that names one', () => {
    const rejected = ['[eval]:1', "Promise.reject(new Error('no key'))", '~~~^^^', 'Error: no key'];
    expect(summarize(rejected)).toBe('Error: no key');
  });

  it.each([
    'Error: no key\\n    at Object.<anonymous> (/srv/main.js:3:9)\\n    at Module._compile',
    'Error: no key    at Object.<anonymous> (/srv/main.js:3:9)',
  ])('leave out frames in the line of the error: %s', (line) => {
    expect(summarize([line])).toBe('Error: no key');
  });

  it('are cut after 300 characters', () => {
    const text = summarize(['x'.repeat(5_000), 'y'.repeat(5_000)]);
    expect(text).toHaveLength(300);
    expect(text).toMatch(/^x+…$/);
  });

  it('show what cannot be seen, and lose their colours', () => {
    expect(summarize(['\u001b[31mno\u001b[0m \u202efile\u200b\u00a0there\u0007'])).toBe(
      'no ⟨U+202E⟩file⟨U+200B⟩⟨U+00A0⟩there⟨U+0007⟩',
    );
  });

  it('name a variable in place of its value', () => {
    const env = { TOKEN: 'secret-1', LONGER: 'secret-1-and-more', LEVEL: 'info' };
    expect(summarize(['info: secret-1 and secret-1-and-more'], env)).toBe('info: $TOKEN and $LONGER');
  });

  it('name a variable of the environment wherever it stands in the configuration', () => {
    const { it: config } = parseServers(
      {
        it: {
          command: 'x',
          args: ['--api-key', '${KEY}', '--level=${LEVEL}', '--at=${AT:-a-default-value}'],
          env: { OTHER: 'Bearer ${TOKEN}' },
        },
      },
      { KEY: 'sk-live-0123', LEVEL: 'info', TOKEN: 'first line\nsecond line', UNUSED: 'of no use' },
      'countersign.yaml',
    );
    if (config === undefined) throw new Error('the server was dropped');
    const words = createStderrTail(config);
    words.append('info: sk-live-0123 is of no use at a-default-value');
    words.append('as \u001b[1msecond line\u001b[0m says');
    words.append(JSON.stringify('Bearer first line\nsecond line'));
    expect(words.text()).toBe('info: $KEY is of no use at a-default-value; as $TOKEN says; "$OTHER"');
  });
});
