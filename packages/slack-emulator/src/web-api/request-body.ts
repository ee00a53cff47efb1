import type { IncomingMessage } from 'node:http';
import { SlackRefusal } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** The whole body of a request; throws `request_too_large` past 64 MiB. */
export async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MOST_BYTES) throw new SlackRefusal('request_too_large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** The arguments of a call, from its query and its body: a form, JSON, or multipart without files. */
export async function readArguments(request: IncomingMessage, url: URL): Promise<JsonObject> {
  const fromQuery = Object.fromEntries(url.searchParams);
  const body = await readBody(request);
  if (body.length === 0) return fromQuery;
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/json')) return { ...fromQuery, ...parseObject(body.toString('utf8')) };
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return { ...fromQuery, ...Object.fromEntries(new URLSearchParams(body.toString('utf8'))) };
  }
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    const texts = [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { ...fromQuery, ...Object.fromEntries(texts) };
  }
  throw new SlackRefusal('invalid_post_type');
}

/** An uploaded file: the multipart field (`body`, `file` or `filename`), or the body as it is. */
export async function readUpload(request: IncomingMessage): Promise<Buffer> {
  const body = await readBody(request);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return body;
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  const part = form.get('body') ?? form.get('file') ?? form.get('filename');
  if (part === null) throw new SlackRefusal('missing_file_data');
  return typeof part === 'string' ? Buffer.from(part) : Buffer.from(await part.arrayBuffer());
}

/** Throws `invalid_json` when the text is no JSON object. */
export function parseObject(text: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SlackRefusal('invalid_json');
  }
  if (!isJsonObject(value)) throw new SlackRefusal('json_not_object');
  return value;
}
