import { scanIndex } from '../storage/scan.ts';
import { type Ref, ref, type Store } from '../storage/store.ts';
import { delegations } from './delegation/record.ts';
import { grants } from './grants/record.ts';

/** What a person's permissions are: approvals they gave for later calls or that are for their calls, and delegations. */
export async function findPermissions(store: Store, personId: string) {
  const found: { readonly grants: Ref[]; readonly delegations: Ref[] } = { grants: [], delegations: [] };
  for await (const { id, value } of scanIndex(store, grants, 'byPerson', {})) {
    const isForThem = value.place.kind === 'requester' && value.place.requester.id === personId;
    if (value.by.id === personId || isForThem) found.grants.push(ref(grants, id));
  }
  for (const index of ['byDelegate', 'byDelegator']) {
    for await (const { id } of scanIndex(store, delegations, index, { prefix: [personId] })) {
      found.delegations.push(ref(delegations, id));
    }
  }
  return found;
}
