import {
  type CallRecord,
  type CardTemplate,
  fillDefaults,
  lookUpArguments,
  namedArguments,
  valueAt,
} from '../gate/types.ts';
import type { JsonObject } from '../lib/json.ts';
import { findSubject } from './argument-notes.ts';
import { findNamedObjects, firstNamedObject, isIdName, type Subject } from './id-names.ts';
import { same } from './values.ts';

type LookUpCall = Pick<CallRecord, 'tool' | 'arguments' | 'proposedArguments'>;

/**
 * What a call is about, by the look-up that its card's template names: the object behind its id, or the only one that the
 * look-up gave, or the old text of one argument.
 *
 * @param read the record under the look-up's id. Ids of calls are a model's to choose, so it only counts if it is the
 *   answer of the template's tool to exactly the arguments that this call gives, also after an edit.
 */
export function lookedUpSubject(
  { tool, arguments: args, proposedArguments }: LookUpCall,
  read: CallRecord | null,
): Subject | null {
  const { lookUp } = tool.card ?? {};
  if (!lookUp || read === null) return null;
  const isAnswerTo = (given: JsonObject) => answersLookUp(lookUp, read, { tool, given });
  if (!isAnswerTo(args)) return null;
  const named = namedArguments(tool.inputSchema, args);
  // Where it's about the new arguments alone, it names none of the old ones.
  const subject = isAnswerTo(proposedArguments) ? readSubject(read, { tool, arguments: named }) : null;
  const shown = readShown(read, lookUp.show ?? []);
  if (shown.length === 0) return subject;
  const its = { inputSchema: tool.inputSchema, arguments: args };
  const given = lookUpArguments(lookUp, read.tool.inputSchema, its) ?? {};
  return { ...(subject ?? { name: null, fields: {} }), shown, readWith: namesReadWith(lookUp, given) };
}

/** Whether the record is of the tool that a template names, called with exactly what these arguments of a call give. */
export function answersLookUp(
  lookUp: NonNullable<CardTemplate['agenda']>,
  read: CallRecord,
  { tool, given }: { readonly tool: LookUpCall['tool']; readonly given: JsonObject },
): boolean {
  if (read.tool.server !== lookUp.server || read.tool.name !== lookUp.name) return false;
  const reader = read.tool.inputSchema;
  const its = { inputSchema: tool.inputSchema, arguments: given };
  const expected = lookUpArguments(lookUp, reader, its);
  return expected !== null && same(fillDefaults(reader, expected), read.arguments);
}

/** Which arguments of the call are, as they are, those that its look-up was `given`. */
function namesReadWith(
  { with: templates }: NonNullable<CardTemplate['lookUp']>,
  given: JsonObject,
): readonly string[] {
  if (templates === undefined) return Object.keys(given);
  return Object.values(templates).flatMap((one) => /^\{([^{}\s.?]+)\??\}$/.exec(one)?.[1] ?? []);
}

/** What of the answer is to be shown, as far as it's there. */
function readShown({ outcome }: CallRecord, paths: readonly string[]): NonNullable<Subject['shown']> {
  if (outcome?.status !== 'succeeded' || outcome.structured === null) return [];
  const { structured } = outcome;
  return paths.flatMap((path) => {
    const value = valueAt(structured, path);
    const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    return isNothing ? [] : [{ path, value }];
  });
}

function readSubject(
  { outcome }: CallRecord,
  { tool, arguments: args }: Pick<CallRecord, 'tool' | 'arguments'>,
): Subject | null {
  if (outcome?.status !== 'succeeded') return null;
  const as = tool.card?.lookUp?.as;
  if (as !== undefined) {
    // Of a kept text, the record has no more than the beginning.
    if (outcome.content.some((piece) => piece.type === 'text' && piece.kept !== undefined)) return null;
    const texts = outcome.content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
    return texts.length === 0 ? null : { name: null, fields: { [as]: texts.join('\n') } };
  }
  if (!Object.keys(args).some(isIdName)) return firstNamedObject(outcome);
  return findSubject(tool, args, { findObject: findNamedObjects([{ outcome }]) });
}
