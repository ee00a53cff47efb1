import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { readFormBody } from '../../../../src/http/api/body.ts';
import type { HttpEnv } from '../../../../src/http/context.ts';
import { errorAnswer } from '../../../../src/http/errors.ts';

it.each([
  ['multipart/form-data', 'x'],
  ['multipart/form-data; boundary=x', 'junk'],
])('a form that cannot be read is a 400: %s', async (type, body) => {
  const app = new Hono<HttpEnv>();
  app.post('/', async (c) => c.json(Object.keys(await readFormBody(c))));
  app.onError((error) => new Response(null, { status: errorAnswer(error).status }));
  const sent = await app.request('/', { method: 'POST', headers: { 'content-type': type }, body });
  expect(sent.status).toBe(400);
});
