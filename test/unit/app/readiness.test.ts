import { expect, it } from 'vitest';
import { toolsCheck } from '../../../src/app/compose-http.ts';
import type { ServerStatus } from '../../../src/mcp/ports.ts';

function detail(states: Readonly<Record<string, ServerStatus['state']>>) {
  const servers = Object.entries(states).map(([name, state]) => ({ name, state }));
  return toolsCheck({ status: () => servers })();
}

it.each([
  [{ ledger: 'up', tasks: 'sign_in_required' } as const, 'all up'],
  [{ ledger: 'up', notes: 'idle' } as const, 'idle – connects when it is used: notes'],
  [
    { ledger: 'down', mail: 'setup_required', notes: 'idle' } as const,
    'down: ledger, mail; idle – connects when it is used: notes',
  ],
])('servers that are %j leave the rest ready', (states, expected) => {
  expect(detail(states)).toEqual({ ok: true, detail: expected });
});
