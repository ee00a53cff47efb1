import { type ScanPorts, scanReadable } from '../../storage/scan.ts';
import { type Grant, grants } from './record.ts';

/** How long nobody has to use a grant until it is one too many, in milliseconds. */
const UNUSED_MS = 60 * 24 * 60 * 60 * 1_000;
/** More grants than anybody goes through. */
const LISTED = 100;

/** What tells whether a grant is used. */
type GrantUse = Pick<Grant, 'at' | 'usedAt' | 'until' | 'used' | 'limit' | 'ended'>;

/** The grants that hold though nobody has used them for 60 days, at most 100. */
export async function listUnusedGrants(ports: ScanPorts, now: number): Promise<readonly Grant[]> {
  const unused: Grant[] = [];
  for await (const { value } of scanReadable(ports, grants, 'live', {})) {
    if (isUnusedGrant(value, now)) unused.push(value);
    if (unused.length >= LISTED) break;
  }
  return unused;
}

export function isUnusedGrant({ at, usedAt, until, used, limit, ended }: GrantUse, now: number): boolean {
  return ended === null && used < limit && until > now && now - (usedAt ?? at) >= UNUSED_MS;
}
