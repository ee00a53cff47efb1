import type { Delegation, Grant } from '../../gate/types.ts';
import type { Names } from '../../presentation/people/names.ts';
import type { LabelledTool } from '../../presentation/schema-labels.ts';

/** Somebody's grants and delegations. */
export interface PermissionsView {
  readonly viewerId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA zone of the viewer. */
  readonly timeZone: string;
  readonly grants: readonly Grant[];
  /** The viewer's delegates, now or later. */
  readonly mine: readonly Delegation[];
  /** The delegations in which the viewer is the delegate. */
  readonly others: readonly Delegation[];
  /** Names of the people and channels in the grants' arguments. */
  readonly names: Pick<Names, 'user' | 'channel'>;
  /** The tool as it was when the grant was given, by the grant's id, as far as it is on record. */
  readonly tools: ReadonlyMap<string, LabelledTool>;
  /** A channel's name, such as `#general`; null where it isn't known. */
  readonly channel: (id: string) => string | null;
}
