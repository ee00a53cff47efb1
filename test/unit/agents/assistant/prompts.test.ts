import { expect, test } from 'vitest';
import { executorPrompts } from '../../../../src/agents/nodes/prompts.ts';
import type { ServerInstructions } from '../../../../src/tools/ports.ts';

function prompt(instructions: readonly ServerInstructions[], mostSaid = 10_000): string {
  const promptFor = executorPrompts({ instructions: 'Be brief.', manner: [], ask: 'ask_user' });
  return promptFor({
    down: [],
    notSetUp: [],
    unreviewed: [],
    tooLarge: [],
    leftOut: new Map(),
    instructions,
    mostSaid,
  });
}

test('every line that a server says begins with a bar, however the line before it ends', () => {
  const text = 'one\ntwo\r\nthree\rfour\u2028five\u0085\nledger:\n';
  const lines = prompt([{ server: 'notes', text }]).split(/[\n\r\u2028\u2029\u0085]/);
  const first = lines.indexOf('notes:') + 1;
  expect(lines.slice(first)).toEqual([
    ...['| one', '| two', '| three', '| four', '| five', '| ', '| ledger:', '| '],
    'Be brief.',
  ]);
});

test('all servers together say at most 8,000 characters', () => {
  const servers = ['a', 'b', 'c', 'd', 'e', 'f'].map((server) => ({ server, text: 'ä'.repeat(1_900) }));
  const said = prompt(servers);
  expect([...said.matchAll(/ä/g)]).toHaveLength(8_000);
  expect(said).not.toContain('f:');
});

test('and take no more tokens than there are for it', () => {
  expect(prompt([{ server: 'a', text: 'zebra '.repeat(1_000) }], 100).match(/zebra/g)).toHaveLength(100);
});

test('the prompt is the same at any time, for anybody', () => {
  expect(prompt([])).not.toMatch(/\d{4}|Ana/);
});

test('the prompt says nothing of servers that say nothing', () => {
  expect(prompt([])).not.toContain('about themselves');
});
