import type { ServerStatus, ToolHub } from '../mcp/ports.ts';
import { DEMO_NOTICE, serverProblem } from './texts/start.ts';

interface ChangingHub extends Pick<ToolHub, 'status'> {
  onChange(listener: () => void): () => void;
}

/**
 * Calls `tell` for each server once it's up or has failed, and again when that changes. Servers that are still
 * connecting, and those that nobody uses for a while, say nothing. Returns how to stop.
 */
export function followServers(hub: ChangingHub, tell: (status: ServerStatus) => void): () => void {
  const told = new Map<string, string>();
  const look = (): void => {
    for (const status of hub.status()) {
      const { name, state, error } = status;
      if (state === 'connecting' || state === 'idle') continue;
      const current = `${state} ${error ?? ''}`;
      if (told.get(name) === current) continue;
      told.set(name, current);
      tell(status);
    }
  };
  look();
  return hub.onChange(look);
}

/** Says in the local workspace that a script answers, and which servers have failed. */
export function tellWorkspace(
  workspace: { setNotices(notices: readonly string[]): void },
  hub: ChangingHub,
  { isDemo }: { readonly isDemo: boolean },
): void {
  const failing = new Map<string, string>();
  const show = () => workspace.setNotices([...(isDemo ? [DEMO_NOTICE] : []), ...failing.values()]);
  followServers(hub, (status) => {
    const problem = serverProblem(status);
    if (problem === null) failing.delete(status.name);
    else failing.set(status.name, problem);
    show();
  });
  show();
}
