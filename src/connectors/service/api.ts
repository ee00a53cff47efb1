import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { isTooDeep, type Json } from '../../lib/json.ts';
import { ToolProblem, UnclearProblem } from '../../lib/text/tool-answers.ts';
import { removeInvisible } from '../../lib/unicode.ts';
import type { Service } from '../../mcp/ports.ts';

/** The service has nothing at this address, or not for this account. */
export class NothingThere extends ToolProblem {}

/** Longest part of a service's own message that is passed on, in characters. */
const LONGEST_MESSAGE = 300;

type Parameter = string | number | boolean;

interface ApiRequest {
  /** @default GET */
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Undefined members are left out; of a list, each is one. */
  readonly query?: Readonly<Record<string, Parameter | readonly Parameter[] | undefined>>;
  readonly body?: Json;
  /** Besides those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** It only reads, although its method says otherwise. */
  readonly isRead?: boolean;
}

/**
 * A client of a service's JSON API: asks, and reads the answer by its schema. The path is what comes after the API's
 * address; see {@link path}.
 *
 * Rejects with UnclearProblem and what the service says, if it refuses or can't be understood, with NothingThere for 404 and 410;
 * with what `ServiceFetch` rejects with.
 */
export type Api = <Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  request?: ApiRequest,
) => Promise<z.output<Schema>>;

/**
 * @param title what people call the service
 * @param headers sent with every request
 */
export function createApi(
  { fetch, apiUrl }: Pick<Service, 'fetch' | 'apiUrl'>,
  { title, headers }: { readonly title: string; readonly headers: Readonly<Record<string, string>> },
): Api {
  const base = apiUrl.replace(/\/$/, '');
  return async (path, schema, { method = 'GET', query = {}, body, headers: own, isRead } = {}) => {
    const url = new URL(`${base}${path}`);
    for (const [name, value] of Object.entries(query)) {
      for (const one of value === undefined ? [] : [value].flat()) url.searchParams.append(name, String(one));
    }
    const response = await fetch(url, {
      method,
      headers: { Accept: 'application/json', ...(body !== undefined && JSON_BODY), ...headers, ...own },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(isRead !== undefined && { isRead }),
    });
    const content = await readBody(response, title);
    if (!response.ok) throw refused(title, response.status, content);
    // A schema walks the value, which would overflow the stack.
    if (isTooDeep(content))
      throw new UnclearProblem(`${title} answered with something that is nested too deeply`);
    const read = schema.safeParse(content);
    if (!read.success) throw new UnclearProblem(`${title} answered with something unexpected`);
    return read.data;
  };
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** A path whose parts are encoded, so that none of them becomes another path. */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const encoded = values.map((value) => {
    const segment = encodeURIComponent(value);
    // The URL parser would go up by these.
    if (/^\.{1,2}$/.test(segment)) throw new ToolProblem(`“${value}” can’t be part of an address`);
    return segment;
  });
  return String.raw({ raw: parts }, ...encoded);
}

/** The answer as JSON; undefined if it's empty, or none and an error. */
async function readBody(response: Response, title: string): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    if (error instanceof AppError) throw new UnclearProblem(error.userMessage.replace(/\.$/, ''));
    throw new UnclearProblem(`the answer of ${title} broke off`);
  }
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    if (response.ok) throw new UnclearProblem(`${title} answered with something that is not JSON`);
    return undefined;
  }
}

/** The shapes in which services say why they refuse. */
const messageSchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  // docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed
  z
    .object({ message: z.string(), errors: z.array(z.object({ message: z.string() })).min(1) })
    .transform(({ message, errors }) =>
      [message.replace(/\.$/, ''), ...errors.map((one) => one.message)].join(': '),
    ),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.object({ error: z.string() }) }).transform(({ detail }) => detail.error),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
  z.object({ error: z.string() }).transform(({ error }) => error),
]);

function refused(title: string, status: number, content: unknown): ToolProblem {
  const said = isTooDeep(content) ? undefined : messageSchema.safeParse(content).data;
  const why = said === undefined ? '' : `: ${clip(oneLine(said).replace(/\.$/, ''), LONGEST_MESSAGE)}`;
  // 410 is for what was there: docs.github.com/en/rest/issues/issues#get-an-issue
  if (status === 404 || status === 410)
    return new NothingThere(`${title} has nothing like that, or not for this account${why}`);
  return new UnclearProblem(`${title} refused (HTTP ${status})${why}`);
}

function oneLine(text: string): string {
  return removeInvisible(text).replace(/\s+/g, ' ').trim();
}

/** The beginning of a text, with how much is left out. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… [${text.length - most} more characters]`;
}
