import type { Gate } from '../gate/index.ts';
import type { PolicyAction } from '../gate/types.ts';

/**
 * The policy's verdict on something that only the requester can be asked about, with one click. Rules that
 * want more than that count as `deny`.
 */
export function requesterVerdict({
  action,
  approval,
  confirmByTyping,
  decideOn,
}: ReturnType<Gate['policy']['evaluate']>): PolicyAction {
  const wantsMore = approval !== undefined || confirmByTyping !== undefined || decideOn !== undefined;
  return action === 'ask' && wantsMore ? 'deny' : action;
}
