import { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createMcpHandler } from '@modelcontextprotocol/server';
import {
  digestArguments,
  fetchReceiptKeys,
  RECEIPT_META,
  ReceiptMemory,
  verifyReceipt,
} from 'countersign-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createTill } from '../../examples/receipts/server.ts';
import { freePort, listen } from '../fixtures/mcp/harness.ts';
import { BEGIN, startAppWithModel } from '../helpers/app.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const PERSON = 'U0ANA00001';
const HEADERS = { headers: { authorization: `Bearer ${KEY}` } };
const HOUR = 3_600_000;

const resultSchema = z.object({
  isError: z.boolean().optional(),
  content: z.tuple([z.object({ text: z.string() })]),
  _meta: z.object({ [RECEIPT_META]: z.string().optional() }).optional(),
});

async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return async (name: string, args: Record<string, unknown>, receipt?: string) => {
    const _meta = receipt === undefined ? {} : { [RECEIPT_META]: receipt };
    const result = resultSchema.parse(await client.callTool({ name, arguments: args, _meta }));
    const { content, isError = false } = result;
    return { text: content[0].text, isError, receipt: result._meta?.[RECEIPT_META] };
  };
}

type Call = Awaited<ReturnType<typeof connect>>;

/** The example's till, behind the whole app; the address of the app is known before either starts. */
async function startTown(transport: 'stdio' | 'HTTP') {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const startedAt = Date.now();
  /** How far the till's clock is ahead of the app's, in milliseconds; over stdio that of one that starts then. */
  const time = { ahead: 0 };
  const now = () => BEGIN + Date.now() - startedAt + time.ahead;
  const keys = fetchReceiptKeys(issuer);

  const over = transport === 'stdio' ? overStdio() : await overHttp();
  function overStdio() {
    // Each is of a process of its own, so with a memory of its own.
    const till = (ahead: number) => {
      const offset = `Date.now = ((real, by) => () => real() + by)(Date.now, ${BEGIN - startedAt + ahead});`;
      const args = [
        '--conditions=countersign-source',
        `--import=data:text/javascript,${encodeURIComponent(offset)}`,
        'examples/receipts/main.ts',
        `--issuer=${issuer}`,
      ];
      return { command: process.execPath, args };
    };
    return {
      server: { ...till(0), cwd: process.cwd() },
      direct: () => new StdioClientTransport(till(time.ahead)),
    };
  }
  async function overHttp() {
    const handler = createMcpHandler(
      createTill({ issuer, name: 'till', keys, used: new ReceiptMemory({ now }), now }),
    );
    const server = createAdaptorServer({ fetch: (request) => handler.fetch(request) });
    if (!(server instanceof Server)) throw new TypeError('not HTTP/1.1');
    const url = `http://127.0.0.1:${await listen(server)}/mcp`;
    return { server: { url }, direct: () => new StreamableHTTPClientTransport(new URL(url)) };
  }

  const { driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY, PORT: String(port), PUBLIC_URL: issuer },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: 'C0GENERAL1', tools: ['till.*'] } },
      policy: {
        rules: [
          { tools: 'till.count_payments', action: 'allow' },
          { name: 'coffee', tools: 'till.pay', when: { amount: { at_most: 5 } }, action: 'allow' },
        ],
      },
      mcpServers: { till: over.server },
    },
  });
  return {
    time,
    now,
    keys,
    issuer,
    /** A call through the gate, which somebody approves. */
    async approved(args: { to: string; amount: number }) {
      const call = await connect(
        new StreamableHTTPClientTransport(new URL(`${issuer}/mcp`), { requestInit: HEADERS }),
      );
      const paying = call('till__pay', args);
      const card = await driver.waitForMessage((message) => driver.text(message).includes(args.to));
      await driver.as(PERSON).click(card, 'Approve');
      return paying;
    },
    gated: () =>
      connect(new StreamableHTTPClientTransport(new URL(`${issuer}/mcp`), { requestInit: HEADERS })),
    direct: () => connect(over.direct()),
  };
}

/** The receipt with other claims, signed as before. */
function forge(receipt: string, change: object): string {
  const [header, claims = '', signature] = receipt.split('.');
  const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), ...change };
  return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
}

describe.each(['stdio', 'HTTP'] as const)('a server over %s that asks for receipts', (transport) => {
  test('runs what a person approved, and the program gets the same receipt', async () => {
    const town = await startTown(transport);
    const rent = { to: 'the landlord', amount: 900 };
    const paid = await town.approved(rent);
    expect(paid).toMatchObject({ isError: false, text: expect.stringContaining(PERSON) });
    const used = new ReceiptMemory({ now: town.now });
    const check = { issuer: town.issuer, audience: 'till', keys: town.keys, used, now: town.now };
    const receipt = await verifyReceipt(paid.receipt, { ...check, tool: 'pay', arguments: rent });
    expect(receipt).toMatchObject({
      call: { server: 'till', tool: 'pay', arguments_sha256: digestArguments(rent) },
      approved_by: [{ id: expect.stringContaining(PERSON), step: 0 }],
      rule: 'default',
      program: 'key:env',
    });
    expect(JSON.stringify(receipt)).not.toMatch(/landlord|Ana/);
  });

  test('refuses what nobody approved, is forged, replayed, for other arguments or expired', async () => {
    const town = await startTown(transport);
    const gated = await town.gated();
    // The policy allows it, and no person signed.
    const coffee = await gated('till__pay', { to: 'the bar', amount: 4 });
    expect(coffee).toEqual({
      isError: true,
      text: expect.stringContaining('has no receipt'),
      receipt: undefined,
    });
    expect(await gated('till__count_payments', {})).toEqual({
      isError: false,
      text: '0',
      receipt: undefined,
    });

    const rent = { to: 'the landlord', amount: 900 };
    const { receipt = '' } = await town.approved(rent);
    const direct: Call = await town.direct();
    const more = { ...rent, amount: 9_000 };
    expect((await direct('pay', more, receipt)).text).toContain('for other arguments');
    const forged = forge(receipt, { jti: 'another' });
    expect((await direct('pay', rent, forged)).text).toContain('signature of the receipt is wrong');
    // Over stdio, this process has not seen it yet.
    if (transport === 'stdio') expect((await direct('pay', rent, receipt)).isError).toBe(false);
    expect((await direct('pay', rent, receipt)).text).toContain('was used before');
    town.time.ahead = HOUR;
    const later = await town.direct();
    expect((await later('pay', rent, receipt)).text).toContain('has expired');
  });
});
