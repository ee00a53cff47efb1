import type { Delegation, Grant } from '../../gate/types.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Names } from '../../presentation/values.ts';

/** What somebody has allowed in advance, and who decides in whose place. */
export interface PermissionsView {
  readonly viewerId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA zone of the viewer. */
  readonly timeZone: string;
  readonly grants: readonly Grant[];
  /** Who stands in for the viewer, now or later. */
  readonly mine: readonly Delegation[];
  /** For whom the viewer does. */
  readonly others: readonly Delegation[];
  /** For the people and channels that the grants' arguments name. */
  readonly names: Pick<Names, 'user' | 'channel'>;
  /** By a grant's id: the arguments of its tool when it was given, as far as they are on record. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** `#general` for a channel's id; null where the name is not known. */
  readonly channel: (id: string) => string | null;
}
