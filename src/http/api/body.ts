import { z } from 'zod';
import type { HttpContext } from '../context.ts';
import { HttpError } from '../errors.ts';
import { BODY_MISFIT, BODY_NOT_JSON } from '../texts.ts';

/** The body, as the schema has it. Throws HttpError 400 when it is no JSON, 422 when it does not fit. */
export async function readBody<T>(c: HttpContext, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(parseJson(await c.req.text()));
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => {
      // Half of a surrogate pair isn't text: it could be neither stored nor approved.
      if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
        throw new SyntaxError();
      return value;
    });
  } catch {
    throw new HttpError({
      status: 400,
      code: 'malformed_json',
      userMessage: BODY_NOT_JSON,
    });
  }
}
