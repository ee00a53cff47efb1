import type { Clock } from '../../lib/clock.ts';
import type { ServerStatus, ToolHub } from '../../mcp/ports.ts';

interface HubPorts {
  readonly hub: Pick<ToolHub, 'status'> & { onChange(listener: () => void): () => void };
  readonly clock: Clock;
}

/** The servers, each with when its state began, in milliseconds since the epoch, as far as this process has seen. */
export function createServerTimes({ hub, clock }: HubPorts) {
  const seen = new Map<string, { readonly state: ServerStatus['state']; readonly since: number }>();
  const look = () => {
    for (const { name, state } of hub.status())
      if (seen.get(name)?.state !== state) seen.set(name, { state, since: clock() });
  };
  look();
  hub.onChange(look);
  return () => {
    look();
    return hub.status().map((status) => ({ ...status, since: seen.get(status.name)?.since ?? clock() }));
  };
}
