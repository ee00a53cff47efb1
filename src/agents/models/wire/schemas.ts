import { z } from 'zod';

/** A text that says something: servers send null and empty ones for what they leave out. */
const said = z
  .union([z.string(), z.number()])
  .nullish()
  .catch(null)
  .transform((value) => (value === null || value === undefined || value === '' ? null : String(value)));

const functionSchema = z.looseObject({ name: said, arguments: z.unknown().optional() });

const callSchema = z.looseObject({
  index: z.number().nullish().catch(null),
  id: said,
  function: functionSchema.nullish(),
});
export type WireCall = z.infer<typeof callSchema>;

const partSchema = z.looseObject({ type: z.string(), text: z.string().optional().catch(undefined) });

/** A message of the model, or a piece of one. */
const messageSchema = z.looseObject({
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(callSchema).nullish(),
  /** How calls looked before there were several. */
  function_call: functionSchema.nullish(),
});
export type WireMessage = z.infer<typeof messageSchema>;

const choiceSchema = z.looseObject({
  delta: messageSchema.nullish(),
  message: messageSchema.nullish(),
  finish_reason: z.string().nullish(),
});
export type WireChoice = z.infer<typeof choiceSchema>;

/** An event of a stream, or the body of an answer that is no stream. */
export const completionSchema = z.looseObject({
  object: z.string().nullish(),
  choices: z.array(choiceSchema).nullish(),
  error: z.unknown().optional(),
});
export type WireCompletion = z.infer<typeof completionSchema>;

const errorSchema = z.looseObject({ code: z.unknown().optional(), status: z.unknown().optional() });
const statusSchema = z.coerce.number().int().min(400).max(599);

/** The error in a body that should have been an answer; vLLM's older ones are not in a field of their own. */
export function errorIn({ error, object, ...rest }: WireCompletion): unknown {
  return object === 'error' ? rest : (error ?? null);
}

/** The HTTP status that an error names; null if it names none. */
export function readHttpStatus(error: unknown): number | null {
  const named = errorSchema.safeParse(error);
  if (!named.success) return null;
  const status = [named.data.code, named.data.status].map((it) => statusSchema.safeParse(it));
  return status.find((it) => it.success)?.data ?? null;
}
