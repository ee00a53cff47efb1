import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createAdaptorServer } from '@hono/node-server';
import { onTestFinished, test } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const SUITE = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
  '../dist/index.js',
);

/**
 * The gate, for a client that knows no key and no server's name: the suite can send neither a header of its own nor
 * names but its own, and tools behind the gate are named after their servers.
 */
async function startInFront(gate: string): Promise<string> {
  const server = createAdaptorServer({
    async fetch(request) {
      const headers = new Headers(request.headers);
      headers.set('authorization', `Bearer ${KEY}`);
      for (const name of ['content-length', 'connection']) headers.delete(name);
      const named = headers.get('mcp-name');
      if (named !== null) headers.set('mcp-name', named.replace(/^(?=test_|json_)/, 'suite__'));
      const sent = (await request.text()).replace(/("name":")(?=test_|json_)/, '$1suite__');
      const answer = await fetch(`${gate}/mcp`, {
        method: request.method,
        headers,
        signal: request.signal,
        ...(sent !== '' && { body: sent }),
      });
      const unnamed = new TransformStream<string, string>({
        transform: (piece, controller) => controller.enqueue(piece.replaceAll('"suite__', '"')),
      });
      const body = answer.body?.pipeThrough(new TextDecoderStream()).pipeThrough(unnamed);
      const answered = new Headers(answer.headers);
      answered.delete('content-length');
      const { status } = answer;
      return new Response(body?.pipeThrough(new TextEncoderStream()) ?? null, { status, headers: answered });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return `http://127.0.0.1:${address.port}/mcp`;
}

test.each(['2025-11-25', '2026-07-28'])(
  'the official conformance suite for servers is content with the gate at %s',
  // Some of its checks wait for parts of a second only, which a busy machine may not keep.
  { retry: 2 },
  async (revision) => {
    const { app } = await startAppWithModel({
      env: { COUNTERSIGN_API_KEY: KEY },
      file: {
        programs: { env: { title: 'Suite', for: 'U0ANA00001', tools: ['suite.*'] } },
        policy: { rules: [{ tools: 'suite.*', action: 'allow' }] },
        mcpServers: {
          suite: { command: 'node', args: ['test/fixtures/mcp/conformance.ts'], cwd: process.cwd() },
        },
      },
    });
    const folder = await mkdtemp(join(tmpdir(), 'countersign-conformance-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const baseline = new URL('../conformance/baseline.yaml', import.meta.url).pathname;
    const args = [
      '--suite',
      'all',
      '--spec-version',
      revision,
      '--expected-failures',
      baseline,
      '-o',
      folder,
    ];
    const suite = spawn(process.execPath, [SUITE, 'server', '--url', await startInFront(app.url), ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => suite.once('close', resolve));
    const said = await text(suite.stdout);
    // The summary says what failed; with `toBe`, only a part of it would be printed.
    if ((await ended) !== 0) throw new Error(said);
  },
);
