import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type EmbeddingServer, startEmbeddingServer } from '../../../helpers/embedding-server.ts';

let server: EmbeddingServer;
beforeAll(async () => {
  server = await startEmbeddingServer();
});
afterAll(() => server.stop());

function ask(body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${server.baseUrl}/embeddings`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function vectorsFor(input: readonly string[]): Promise<readonly (readonly number[])[]> {
  const schema = z.object({ data: z.array(z.object({ embedding: z.array(z.number()) })) });
  const { data } = schema.parse(await (await ask({ model: 'any', input })).json());
  return data.map(({ embedding }) => embedding);
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

it('answers as OpenAI does, with vectors of length 1 that are near where the meaning is', async () => {
  const [question = [], near = [], far = []] = await vectorsFor([
    'How do I get rid of a file?',
    'To delete a document from the disk, call remove.',
    'Our cafeteria serves soup on Fridays.',
  ]);
  expect(question).toHaveLength(512);
  expect(dot(question, question)).toBeCloseTo(1);
  expect(dot(question, near)).toBeGreaterThan(dot(question, far) + 0.1);
});

it('answers in base64 where that is asked for', async () => {
  const [floats = []] = await vectorsFor(['soup']);
  const answer = await ask({ model: 'any', input: 'soup', encoding_format: 'base64' });
  const schema = z.object({ data: z.tuple([z.object({ embedding: z.string() })]) });
  const bytes = Buffer.from(schema.parse(await answer.json()).data[0].embedding, 'base64');
  expect(bytes.readFloatLE(4)).toBeCloseTo(floats[1] ?? Number.NaN);
  expect(bytes).toHaveLength(4 * 512);
});

it('refuses what OpenAI refuses', async () => {
  expect((await ask({ model: 'any', input: [''] })).status).toBe(400);
  expect((await ask({ input: 'soup' })).status).toBe(400);
});
