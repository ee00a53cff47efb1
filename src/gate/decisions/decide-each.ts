import type { DecisionInput } from '../call/decision.ts';
import { recordKey } from '../call/digest.ts';
import { RefusalError } from '../call/refusal.ts';

/** Why calls were not decided with the others, by their keys. */
type Refused = ReadonlyMap<string, RefusalError>;

/**
 * Decides all of these that can be decided as they were shown, in one commit (`decideAll`); the others stay as they are.
 * @throws RefusalError when none can, unless `tellsAll`: then that of each is told.
 */
export async function decideEach(
  inputs: readonly DecisionInput[],
  decideAll: (inputs: readonly DecisionInput[]) => Promise<unknown>,
  { tellsAll = false }: { readonly tellsAll?: boolean | undefined } = {},
): Promise<Refused> {
  const refused = new Map<string, RefusalError>();
  for (;;) {
    const rest = inputs.filter(({ callKey }) => !refused.has(callKey));
    if (rest.length === 0) return refused;
    try {
      await decideAll(rest);
      return refused;
    } catch (error) {
      const about = error instanceof RefusalError && error.call ? recordKey(error.call) : null;
      const isOneOfThem = (rest.length > 1 || tellsAll) && rest.some(({ callKey }) => callKey === about);
      if (!(error instanceof RefusalError) || about === null || !isOneOfThem) throw error;
      refused.set(about, error);
    }
  }
}
