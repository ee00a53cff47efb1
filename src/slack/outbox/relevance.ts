import type { Gate } from '../../gate/index.ts';
import type { OutboxItem } from './collections.ts';

/** Whether people still need to see this, because something waits for them there. */
export async function isStillRelevant(gate: Gate, show: OutboxItem): Promise<boolean> {
  switch (show.kind) {
    case 'call': {
      const state = (await gate.calls.get(show.callKey))?.state;
      return state === 'pending' || state === 'blocked' || state === 'in_doubt';
    }
    case 'need':
      return Boolean((await gate.calls.get(show.callKey))?.need);
    case 'request':
      return (await gate.requests.get(show.requestId))?.state === 'open';
    case 'beside':
    case 'team':
    case 'files':
    case 'held':
    case 'answer':
    case 'reminder':
    case 'turn':
    case 'raise':
    case 'summons':
    case 'told':
    case 'drop':
    case 'scopes':
    case 'limit':
    case 'extension':
    case 'copy':
      return false;
  }
}
