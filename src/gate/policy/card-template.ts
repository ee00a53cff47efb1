import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { readSpan, spanArguments } from '../../lib/text/time-span.ts';

/** Another tool that a card needs, and what it is called with. */
const companionToolSchema = z.object({
  server: z.string(),
  /** The tool's name on its server. */
  name: z.string(),
  /** Its arguments, by name; absent: those of the call (or its result) that it takes by the same name. */
  with: z.record(z.string(), z.string()).optional(),
});
type CompanionTool = z.infer<typeof companionToolSchema>;

/** What the operator (`cards:` in `countersign.yaml`), or a connector, says about the card of one tool. */
export const cardTemplateSchema = z.object({
  /** Sentences with placeholders; the first one that the call has all values for heads the card. */
  title: z.array(z.string()).optional(),
  /** Reads what the call is about, before anybody is asked. */
  lookUp: companionToolSchema
    .extend({
      /** The argument whose old value is the text that it reads; absent: it gives an object with fields. */
      as: z.string().optional(),
      /** What of its answer stands below the arguments, by paths such as `message.from`. */
      show: z.array(z.string()).optional(),
      /** Whether nobody is asked about the call if the tool says that there is nothing to read; absent: the card does without. */
      isRequired: z.boolean().optional(),
    })
    .optional(),
  /** Reads what else is on while that is what the call adds, before anybody is asked; its card says it in a line. */
  agenda: companionToolSchema.optional(),
  /** Lists the calendars that there are, before anybody is asked; who edits the call chooses one of them. */
  calendars: companionToolSchema.optional(),
  /** The tool that takes back what the call has done. */
  undo: companionToolSchema.optional(),
});
export type CardTemplate = z.infer<typeof cardTemplateSchema>;

/** A placeholder of a template: `{start}`, `{was.start}`, `{attendees.count}`. */
export const PLACEHOLDER = /\{([^{}\s]+)\}/g;

const OPTIONAL = /^\{([^{}\s]+)\?\}$/;

/** What is read about a call before people are asked, each by a call of its own. */
export const LOOK_UPS = ['lookUp', 'agenda', 'calendars'] as const;
type LookUpKind = (typeof LOOK_UPS)[number];

/** The id of a look-up that a call's card shows. No model's call can have it: theirs hold no line feed first. */
export function lookUpId(callId: string, kind: LookUpKind = 'lookUp'): string {
  return `${kind === 'lookUp' ? 'look-up' : `look-up:${kind}`}\n${callId}`;
}

/**
 * The arguments with which a look-up is made for a call, given those that its tool's schema names and, as `span`, from when until when
 * what it adds is: see {@link companionArguments}.
 */
export function lookUpArguments(
  lookUp: CompanionTool,
  reader: JsonObject,
  { inputSchema, arguments: given }: { readonly inputSchema: JsonObject; readonly arguments: JsonObject },
): JsonObject | null {
  const values = namedArguments(inputSchema, given);
  const span = readSpan(inputSchema, values);
  return companionArguments(
    lookUp,
    reader,
    span === null ? values : { ...values, span: spanArguments(span) },
  );
}

/**
 * The arguments of a companion tool. A value that is one placeholder is that value as it is, of any type; others are
 * texts with values put in. One that is `{name?}` is left out where that has no value.
 *
 * @returns null where a placeholder has no value.
 */
export function companionArguments(
  { with: given }: CompanionTool,
  inputSchema: JsonObject,
  values: JsonObject,
): JsonObject | null {
  if (given === undefined) return sharedArguments(inputSchema, values);
  const args: JsonObject = {};
  for (const [name, template] of Object.entries(given)) {
    const [, optional] = OPTIONAL.exec(template) ?? [];
    const value = optional === undefined ? fill(template, values) : valueAt(values, optional);
    if (value !== undefined) args[name] = value;
    else if (optional === undefined) return null;
  }
  return args;
}

/** The values that the tool takes by these names; null where one that it requires is missing. */
function sharedArguments(inputSchema: JsonObject, values: JsonObject): JsonObject | null {
  const names = isJsonObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const shared = names.flatMap((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const has = new Set<Json>(shared.map(([name]) => name));
  return required.every((name) => has.has(name)) ? Object.fromEntries(shared) : null;
}

function fill(template: string, values: JsonObject): Json | undefined {
  const [whole] = template.matchAll(PLACEHOLDER);
  if (whole?.[0] === template) return valueAt(values, whole[1] ?? '');
  let isMissing = false;
  const text = template.replaceAll(PLACEHOLDER, (_all, path: string) => {
    const value = valueAt(values, path);
    if (value === undefined || value === null || typeof value === 'object') isMissing = true;
    return String(value);
  });
  return isMissing ? undefined : text;
}

/**
 * The value at a path of names such as `event.id`, or those of all items at `event.guests[*].email`; undefined where there is none. A name with dots in it only counts where
 * there is nothing at the path, so that it can't stand for what is.
 */
export function valueAt(values: JsonObject, path: string): Json | undefined {
  const [first = '', each] = path.split('[*].', 2);
  if (each !== undefined) {
    const list = valueAt(values, first);
    if (!Array.isArray(list)) return undefined;
    return list.flatMap((item) => (isJsonObject(item) ? (valueAt(item, each) ?? []) : []));
  }
  let at: Json | undefined = values;
  for (const name of path.split('.')) {
    at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at === undefined && Object.hasOwn(values, path) ? values[path] : at;
}

/**
 * The arguments that the tool's schema names. A model can add any others, and most tools ignore those: what a call does
 * must not be told by them.
 */
export function namedArguments(inputSchema: JsonObject, args: JsonObject): JsonObject {
  const { properties } = inputSchema;
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(properties, name)));
}
