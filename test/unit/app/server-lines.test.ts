import { expect, it } from 'vitest';
import { followServers, tellWorkspace } from '../../../src/app/server-lines.ts';
import { serverLine } from '../../../src/app/texts/start.ts';
import { createListeners } from '../../../src/lib/listeners.ts';
import type { ServerStatus } from '../../../src/mcp/ports.ts';

function openHub() {
  const changes = createListeners<[]>();
  let statuses: ServerStatus[] = [];
  return {
    status: () => statuses,
    onChange: changes.add,
    now(...states: (Pick<ServerStatus, 'name' | 'state'> & Partial<ServerStatus>)[]) {
      const rest = { transport: 'stdio', protection: null, error: null, toolCount: 0, omitted: [] } as const;
      statuses = states.map((state) => ({ ...rest, ...state }));
      changes.notify();
    },
  };
}

const DOWN = { name: 'files', state: 'down', error: 'The program x does not exist.' } as const;

it('tells of each server once it is up or has failed, and of what changes', () => {
  const hub = openHub();
  const lines: string[] = [];
  followServers(hub, (status) => lines.push(serverLine(status)));
  hub.now({ name: 'calendar', state: 'connecting' }, { name: 'files', state: 'connecting' });
  expect(lines).toEqual([]);
  hub.now({ name: 'calendar', state: 'up', toolCount: 6 }, DOWN);
  hub.now({ name: 'calendar', state: 'idle' }, { ...DOWN, state: 'connecting' });
  hub.now({ name: 'calendar', state: 'up', toolCount: 6 }, DOWN);
  expect(lines).toEqual([
    'Server calendar: up, 6 tools.',
    'Server files is not up: The program x does not exist. See mcpServers in countersign.yaml; it is tried again by itself.',
  ]);
  hub.now({ name: 'files', state: 'up', toolCount: 1 });
  expect(lines.at(-1)).toBe('Server files: up, 1 tool.');
});

it('shows in the workspace what is wrong as long as it is', () => {
  const hub = openHub();
  let shown: readonly string[] = [];
  const setNotices = (notices: readonly string[]) => {
    shown = notices;
  };
  tellWorkspace({ setNotices }, hub, { isDemo: true });
  expect(shown).toEqual([expect.stringContaining('scripted demo model')]);
  hub.now(DOWN);
  expect(shown).toEqual([expect.any(String), expect.stringContaining('Server files is not up')]);
  hub.now({ name: 'files', state: 'up', toolCount: 1 });
  expect(shown).toHaveLength(1);
});
