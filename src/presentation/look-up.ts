import { type CallRecord, companionArguments, fillDefaults } from '../gate/types.ts';
import { findNamedObjects, firstNamedObject, isIdName, type Subject } from './id-names.ts';
import { same } from './values.ts';

type LookUpCall = Pick<CallRecord, 'tool' | 'proposedArguments'>;

/**
 * What a call is about, by the look-up that its card's template names: the object behind its id, or the only one that the
 * look-up gave, or the old text of one argument.
 *
 * @param read the record under the look-up's id. Ids of calls are a model's to choose, so it only counts if it is the
 *   answer of the template's tool to exactly the arguments that this call gives.
 */
export function lookedUpSubject(
  { tool, proposedArguments: args }: LookUpCall,
  read: CallRecord | null,
): Subject | null {
  const { lookUp } = tool.card ?? {};
  if (!lookUp || read?.tool.server !== lookUp.server || read.tool.name !== lookUp.name) return null;
  const expected = companionArguments(lookUp, read.tool.inputSchema, args);
  if (expected === null || !same(fillDefaults(read.tool.inputSchema, expected), read.arguments)) return null;
  return readSubject(read, args, lookUp.as);
}

function readSubject(
  { outcome }: CallRecord,
  args: CallRecord['arguments'],
  as: string | undefined,
): Subject | null {
  if (outcome?.status !== 'succeeded') return null;
  if (as !== undefined) {
    const texts = outcome.content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
    return texts.length === 0 ? null : { name: null, fields: { [as]: texts.join('\n') } };
  }
  const ids = Object.entries(args).filter(([name]) => isIdName(name));
  if (ids.length === 0) return firstNamedObject(outcome);
  const find = findNamedObjects([{ outcome }]);
  return ids.map(([name, value]) => find(name, value)).find((thing) => thing !== null) ?? null;
}
