import type { Standing } from './people.ts';

/** Why an account of this standing decides nothing, in a sentence; null for a member, who may. */
export function standingRefusal(standing: Standing): string | null {
  return REFUSED[standing];
}

const REFUSED: Record<Standing, string | null> = {
  member: null,
  guest: 'Guests may not decide this, unless the policy names them.',
  deactivated: 'This account is deactivated, so its word does not count.',
  stranger: 'People of other organisations may not decide this, unless the policy names them.',
  unknown: 'Slack does not know this account, so its word does not count.',
  app: 'Apps decide nothing.',
};
