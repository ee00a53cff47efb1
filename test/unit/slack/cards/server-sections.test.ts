import { describe, expect, it } from 'vitest';
import type { ServerStatus } from '../../../../src/mcp/ports.ts';
import { type OfferedTool, serverSections } from '../../../../src/slack/cards/server-sections.ts';
import { richText } from '../../../../src/slack/text/block-kit.ts';
import { flat } from './fixtures.ts';

function server(changes: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name: 'ledger',
    transport: 'http',
    protection: null,
    state: 'up',
    error: null,
    toolCount: 3,
    omitted: [],
    ...changes,
  };
}

function down(error: string, name = 'ledger'): ServerStatus {
  return server({ name, state: 'down', error, toolCount: 0, omitted: [] });
}

function words(servers: readonly ServerStatus[], tools: readonly OfferedTool[] = []): string {
  return flat([richText('servers', ...serverSections(servers, tools))]);
}

function tools(held: number, of: number, name = 'ledger'): OfferedTool[] {
  return Array.from({ length: of }, (_, index) => ({
    server: name,
    ...(index < held ? { unavailableReason: 'It is new and was not reviewed.' } : {}),
  }));
}

describe('a server’s line', () => {
  it.each([
    ['namespace', '🟢 ledger · 3 tools · isolated (namespace)'],
    ['none', '🟢 ledger · 3 tools · not isolated'],
  ] as const)('says that its process is isolated by %s', (protection, line) => {
    expect(words([server({ protection })])).toContain(line);
  });

  it.each([
    [0, '🟢 ledger · 3 tools'],
    [2, '🟢 ledger · 3 tools, 2 held for review'],
    [3, '🟡 ledger · 3 tools, 3 held for review'],
  ])('says of %i tools that they wait for a review', (held, line) => {
    expect(words([server()], [...tools(held, 3), ...tools(2, 2, 'calendar')])).toBe(line);
  });

  it('names the tools that are left out, with the reasons', () => {
    const omitted = [
      { name: 'move', why: 'has an input schema that cannot be read: it is no schema' },
      { name: 'turn\u202e', why: 'is described in more than 100 levels' },
    ];
    expect(words([server({ omitted })])).toBe(
      '🟢 ledger · 3 tools · 2 left out: move, because it has an input schema that cannot be read: it is no schema; ' +
        'turn⟨U+202E⟩, because it is described in more than 100 levels',
    );
    const many = Array.from({ length: 8 }, (_, at) => ({ name: `t${at}`, why: 'is too long' }));
    expect(words([server({ omitted: many })])).toMatch(
      /8 left out: t0, .*t4, because it is too long; … and 3 more$/,
    );
  });

  it('says so too where everybody connects it for themselves', () => {
    const line = '🔑 ledger · everybody connects it for themselves · 1 held for review';
    expect(words([server({ state: 'sign_in_required', toolCount: 0, omitted: [] })], tools(1, 3))).toBe(line);
    const omitted = [{ name: 'odd', why: 'is too long' }];
    expect(words([server({ state: 'sign_in_required', toolCount: 0, omitted })], tools(1, 3))).toMatch(
      /review · .*odd.*is too long/,
    );
  });

  it('holds why it is down whole, with what to do', () => {
    const host = `${'sub.'.repeat(40)}example.com`;
    const why = `${host} is on a private network or on this machine; it was not asked. If its server belongs there, set allow_private_network.`;
    expect(words([down(why)])).toBe(`🔴 ledger · down: ${why}`);
    const missing = `An admin has to set ${'A_VERY_LONG_NAME_OF_A_VARIABLE and '.repeat(5)}PUBLIC_URL.`;
    expect(words([server({ state: 'setup_required', error: missing })])).toContain(missing);
  });

  it('of what is endless ends with a word, or with a sentence where one is near', () => {
    expect(words([down('word '.repeat(300))])).toMatch(/(?: word)+ …$/);
    expect(words([down(`${'word '.repeat(80).trim()}. ${'more '.repeat(300)}`)])).toMatch(/word\. …$/);
  });

  it('of many servers that are down stays within what a block holds, and none is left without its reason', () => {
    const many = Array.from({ length: 30 }, (_, index) => down('word '.repeat(300), `s${index}`));
    const shown = words(many);
    expect(shown).toContain('🔴 s19 · down: word word');
    expect(shown).toContain('… and 10 more');
    for (const section of serverSections(many, [])) {
      expect(JSON.stringify(section).length).toBeLessThan(3_000);
    }
  });
});
