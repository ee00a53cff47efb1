import type { Check } from '../http/index.ts';
import type { ServerStatus } from '../mcp/ports.ts';

export function slackCheck(slack: { connected(): boolean }): Check {
  return () =>
    slack.connected() ? { ok: true, detail: 'connected' } : { ok: false, detail: 'not connected' };
}

/** States that need no repair. */
const IN_ORDER: readonly ServerStatus['state'][] = ['up', 'idle', 'sign_in_required'];

/** The readiness check for servers: one that is down is reported, and the rest stays ready. */
export function toolsCheck(hub: { status(): readonly Pick<ServerStatus, 'name' | 'state'>[] }): Check {
  return () => {
    const servers = hub.status();
    const down = servers.filter(({ state }) => !IN_ORDER.includes(state)).map(({ name }) => name);
    const idle = servers.filter(({ state }) => state === 'idle').map(({ name }) => name);
    const details = [
      ...(down.length === 0 ? [] : [`down: ${down.join(', ')}`]),
      ...(idle.length === 0 ? [] : [`idle – connects when it is used: ${idle.join(', ')}`]),
    ];
    return { ok: true, detail: details.length === 0 ? 'all up' : details.join('; ') };
  };
}
