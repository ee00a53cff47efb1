import { z } from 'zod';
import { isTooDeep, MAX_DEPTH } from '../../lib/json.ts';
import type { HttpContext } from '../context.ts';
import { HttpError } from '../errors.ts';
import { BODY_MISFIT, BODY_NO_FORM, BODY_NOT_JSON, bodyTooDeep, RECORDS } from '../texts.ts';

/**
 * The body, as the schema has it. Throws HttpError 400 when it is no JSON, 422 when it does not fit or nests
 * more than {@link MAX_DEPTH} levels of lists and objects, itself counted.
 */
export async function readBody<T>(c: HttpContext, schema: z.ZodType<T>): Promise<T> {
  return requireFit(schema, parseJson(await c.req.text()));
}

/** What was sent, as the schema has it. Throws HttpError 422 when it doesn't fit. */
export function requireFit<T>(schema: z.ZodType<T>, sent: unknown): T {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  throw new HttpError({
    status: 422,
    code: 'invalid_body',
    userMessage: BODY_MISFIT,
    details: parsed.error.issues.map((issue) => ({
      path: z.core.toDotPath(issue.path),
      message: issue.message,
    })),
  });
}

/** The fields of a form; those that came several times as lists, if `all`. @throws HttpError 400 when it's no form */
export async function readFormBody(c: HttpContext, options: { readonly all?: boolean } = {}) {
  try {
    return await c.req.parseBody(options);
  } catch {
    throw new HttpError({ status: 400, code: 'malformed_form', userMessage: BODY_NO_FORM });
  }
}

/** The query, as the schema has it. Throws HttpError 400 for filters that there are not, or values that don't fit. */
export function readQuery<T>(c: HttpContext, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(c.req.query());
  if (parsed.success) return parsed.data;
  throw new HttpError({
    status: 400,
    code: 'invalid_query',
    userMessage: RECORDS.invalidQuery,
    details: parsed.error.issues.map(({ path, message }) => ({ path: z.core.toDotPath(path), message })),
  });
}

function parseJson(text: string): unknown {
  const body = parseText(text);
  const problem = findUnusable(body);
  if (problem === 'too_deep') {
    throw new HttpError({ status: 422, code: 'too_deep', userMessage: bodyTooDeep(MAX_DEPTH) });
  }
  if (problem === null) return body;
  throw notJson();
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** Why a value of JSON could be neither stored nor approved; null if it could. */
export function findUnusable(value: unknown): 'too_deep' | 'not_text' | null {
  // Checked first: whatever walks the value after this would overflow the stack.
  if (isTooDeep(value)) return 'too_deep';
  return isText(value) ? null : 'not_text';
}

/** False if a key or value holds half of a surrogate pair: it could be neither stored nor approved. */
function isText(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isText(item));
}

function notJson(): HttpError {
  return new HttpError({ status: 400, code: 'malformed_json', userMessage: BODY_NOT_JSON });
}
