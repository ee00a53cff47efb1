import type { Check } from '../http/index.ts';

export function slackCheck(slack: { connected(): boolean }): Check {
  return () =>
    slack.connected() ? { ok: true, detail: 'connected' } : { ok: false, detail: 'not connected' };
}

/** A server that is down is shown, and leaves the rest ready. */
export function toolsCheck(hub: { status(): readonly { name: string; state: string }[] }): Check {
  return () => {
    const down = hub.status().filter(({ state }) => state !== 'up' && state !== 'sign_in_required');
    const names = down.map(({ name }) => name).join(', ');
    return { ok: true, detail: down.length === 0 ? 'all up' : `down: ${names}` };
  };
}
