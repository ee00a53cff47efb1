import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createModel } from '../../../../src/agents/models/openai.ts';
import { WireAnswer } from '../../../../src/agents/models/wire/answer.ts';
import { normalizeAnswers } from '../../../../src/agents/models/wire/fetch.ts';
import { ReasoningFilter, withoutReasoning } from '../../../../src/agents/models/wire/reasoning.ts';
import { errorMessage } from '../../../../src/lib/errors.ts';
import { delta, events } from '../../../helpers/raw-model.ts';

const CHAT = 'https://models.example/v1/chat/completions';
const STREAMED: RequestInit = { method: 'POST', body: '{"stream":true}' };

/** A streamed answer whose body is written by the test; says when nobody reads it any more. */
function openAnswer() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const fetch = normalizeAnswers(
    async () => new Response(readable, { headers: { 'content-type': 'text/event-stream' } }),
  );
  return {
    fetch,
    write: (text: string) => writer.write(new TextEncoder().encode(text)),
    abandoned: writer.closed.then(
      () => 'closed',
      () => 'abandoned',
    ),
  };
}

describe('a streamed answer', () => {
  it('is handed on while it still comes', async () => {
    const { fetch, write } = openAnswer();
    const response = await fetch(CHAT, STREAMED);
    const reader = response.body?.getReader();
    await write(events(delta({ content: 'One' })));
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toContain('"content":"One"');
    await reader?.cancel();
  });

  it('is no longer fetched when nobody reads it', async () => {
    const { fetch, write, abandoned } = openAnswer();
    const response = await fetch(CHAT, STREAMED);
    const reader = response.body?.getReader();
    await write(events(delta({ content: 'One' })));
    await reader?.read();
    await reader?.cancel();
    expect(await abandoned).toBe('abandoned');
  });
});

describe('the connection to a server', () => {
  /** Asks one after the other; `end` ends an answer some time after its last event. */
  async function countConnections(end: (response: ServerResponse) => void): Promise<number> {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`${events(delta({ content: 'One' }))}data: [DONE]\n\n`);
      setTimeout(() => end(response), 20);
    });
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close().closeAllConnections());
    const url = `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}/v1/chat/completions`;
    for (let count = 0; count < 3; count++) {
      const response = await normalizeAnswers()(url, STREAMED);
      expect(await response.text()).toMatch(/One.*\[DONE\]/s);
      await delay(60);
    }
    return connections;
  }

  it('is used again, though an answer ends a little after its last event', async () => {
    // On a busy machine, an end may come after the next question.
    expect(await countConnections((response) => response.end())).toBeLessThan(3);
  });

  it('holds up no answer that has its last event, but never ends', async () => {
    expect(await countConnections(() => undefined)).toBeGreaterThanOrEqual(3);
  });
});

describe('the reason why an answer ends', () => {
  it.each([
    [['length', 'stop'], 'length'],
    [['stop', 'content_filter'], 'content_filter'],
    [['stop', 'stop'], 'stop'],
  ])('is of %j, one after the other, %s', (reasons, ending) => {
    const answer = new WireAnswer();
    for (const reason of reasons) answer.add({ choices: [{ delta: {}, finish_reason: reason }] });
    expect(answer.end(true).ending).toBe(ending);
  });
});

describe('what is no successful chat completion', () => {
  it.each([
    ['another path', 'https://models.example/v1/embeddings', 200],
    ['an error', CHAT, 400],
  ])('passes as it is: %s', async (_what, url, status) => {
    const answer = new Response('<html>', { status });
    expect(await normalizeAnswers(async () => answer)(url, STREAMED)).toBe(answer);
  });
});

describe('an error that quotes the key', () => {
  const KEY = 'sk-0123456789';

  it.each([
    ['as a page', 502, `<html>${KEY}</html>`],
    [
      'with status 200',
      200,
      JSON.stringify({ error: { message: `bad key ${KEY}`, code: 'invalid_api_key' } }),
    ],
  ])('names the setting in its place: %s', async (_what, status, body) => {
    const model = createModel({
      apiKey: KEY,
      baseUrl: await serve(status, body),
      model: 'm',
      timeoutMs: 5_000,
    });
    const error: unknown = await model.invoke('hello').catch((thrown: unknown) => thrown);
    expect(errorMessage(error)).toContain('$OPENAI_API_KEY');
    expect(inspect(error, { depth: 8 })).not.toContain(KEY);
  });

  async function serve(status: number, body: string): Promise<string> {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = z.object({ port: z.number() }).parse(server.address());
    return `http://127.0.0.1:${port}/v1`;
  }
});

describe('reasoning in tags', () => {
  it.each([
    ['<think>plan</think>Hello.', 'Hello.'],
    ['Hello <thinking>a < b</thinking>Ana.', 'Hello Ana.'],
    ['Say `<think>` or "<think>".', 'Say `<think>` or "<think>".'],
    ['a <b and <thi', 'a <b and <thi'],
    ['<think>plan', ''],
    ['<think>a</think>One.<think>b</think>Two.', 'One.Two.'],
  ])('is left out of %s, however it is cut into pieces', (text, shown) => {
    for (let at = 0; at <= text.length; at += 1) {
      for (const pieces of [
        [text.slice(0, at), text.slice(at)],
        [...text.slice(0, at), text.slice(at)],
      ]) {
        const filter = new ReasoningFilter();
        expect(pieces.map((piece) => filter.add(piece)).join('') + filter.end()).toBe(shown);
      }
    }
    expect(withoutReasoning(text)).toBe(shown);
  });

  it('without its beginning is left out as often as it ends', () => {
    expect(withoutReasoning(`${'plan</think>'.repeat(50_000)}Hello.`)).toBe('Hello.');
    expect(withoutReasoning('plan</think>One. ```\n</think>\n``` a</think>Two.')).toBe(
      'One. ```\n</think>\n``` a</think>Two.',
    );
  });
});
