import type { Standing } from './people.ts';
import { STANDING_REFUSALS } from './texts.ts';

/** Why an account of this standing cannot decide, in a sentence; null for a member, who can. */
export function standingRefusal(standing: Standing): string | null {
  return STANDING_REFUSALS[standing];
}
