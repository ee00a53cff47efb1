import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { fetchReceiptKeys, ReceiptMemory, verifyReceipt } from 'countersign-client';
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  createAuditKeys,
  createAuditVerifier,
  generateAuditKey,
  parsePrivateKey,
} from '../../src/gate/audit/keys.ts';
import { verifyStore } from '../../src/gate/verify-store.ts';
import { BEGIN, startAppWithModel } from '../helpers/app.ts';
import { entriesOf, spoil } from '../helpers/audit.ts';
import { auditKeys } from '../helpers/audit-keys.ts';

const keysSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: z.string(),
      kid: z.string(),
      alg: z.literal('EdDSA'),
      use: z.literal('sig'),
    }),
  ),
});

const KEY = 'a-key-of-a-program-that-asks-2718';

/** The app, after Ana had it add an event to the calendar and approved that. */
async function livedIn() {
  const { app, driver, model } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: { mcpServers: { calendar: { in_process: 'calendar' } } },
  });
  const [general] = driver.workspace.channels.values();
  const channel = general?.id ?? '';
  driver.as('ana').post(channel, '<@U0BOT00001> add Standup');
  const event = { title: 'Standup', start: '2026-11-24T09:00:00', duration_minutes: 15 };
  const place = { calendar_id: 'primary', time_zone: 'Europe/Berlin' };
  await model.calls([{ name: 'calendar__create_event', arguments: { ...place, ...event } }]);
  const card = await driver.waitUntil(() =>
    driver.messages(channel).find((message) => driver.text(message).includes('[Approve]')),
  );
  await driver.as('ana').click(card, 'Approve');
  await model.says('It is in.');
  await driver.waitForMessage((message) => driver.text(message).includes('It is in.'));
  return app;
}

it('the public keys are there for everybody, and verify a copy of the audit', async () => {
  const app = await livedIn();
  const response = await fetch(`${app.url}/.well-known/countersign-audit-keys.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const { keys: published } = keysSchema.parse(await response.json());
  const keys = published.map((jwk) =>
    createPublicKey({ key: { ...jwk } satisfies JsonWebKey, format: 'jwk' }),
  );
  expect(keys).toHaveLength(1);

  const entries = await app.inStore(entriesOf);
  expect(entries.map(({ what }) => what)).toEqual(expect.arrayContaining(['asked', 'decided', 'executing']));
  // As whoever has neither this program nor its secrets does it.
  for (const { hash, keyId, signature = '' } of entries) {
    const key = keys[published.findIndex(({ kid }) => kid === keyId)];
    const signed = Buffer.from(`countersign.audit.entry.v1:${hash}`);
    expect(key && verify(null, signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
  }

  const problems = () =>
    app.inStore(async (store) => {
      const found: string[] = [];
      const verifier = createAuditVerifier(keys);
      await verifyStore({ store, verifier }, [], ({ problem }) => void found.push(problem));
      return found;
    });
  expect(await problems()).toEqual([]);
  const [first] = entries;
  if (!first) throw new Error('there is no entry');
  const forged = { ...first, signature: Buffer.alloc(64).toString('base64url') };
  await app.inStore((store) => spoil(store, forged, JSON.stringify(forged)));
  expect(await problems()).toContain('It isn’t signed by a key of the audit: somebody else wrote it.');
});

it('the record of a call that the agent made has the receipt that went with it', async () => {
  const app = await livedIn();
  const address = `${app.url}/api/calls?tool=calendar.create_event`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${KEY}` } });
  const schema = z.object({ calls: z.tuple([z.object({ receipt: z.string() })]) });
  const [{ receipt }] = schema.parse(await answer.json()).calls;
  const used = new ReceiptMemory({ now: () => BEGIN });
  const check = { issuer: app.url, audience: 'calendar', used, now: () => BEGIN + 60_000 };
  const event = { title: 'Standup', start: '2026-11-24T09:00:00', duration_minutes: 15 };
  const args = { calendar_id: 'primary', time_zone: 'Europe/Berlin', ...event };
  const read = verifyReceipt(receipt, {
    ...check,
    keys: fetchReceiptKeys(app.url),
    tool: 'create_event',
    arguments: args,
  });
  expect(await read).toMatchObject({ approved_by: [{ id: expect.stringContaining('U0ANA00001') }] });
});

it('receipts of a key that was replaced are still verified, and those after it are of the new one', async () => {
  const issuer = 'http://gate.example';
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY, PUBLIC_URL: issuer },
    file: {
      programs: { env: { title: 'Builder', for: 'U0ANA00001', channel: 'C0GENERAL1' } },
      mcpServers: {},
    },
  });
  const approved = async (name: string): Promise<string> => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name, args_summary: 'a', timeout_s: 60 });
    const answer = fetch(`${app.url}/agent/begin`, { method: 'POST', headers, body });
    const card = await driver.waitForMessage((message) => driver.text(message).includes(name));
    await driver.as('U0ANA00001').click(card, 'Approve');
    return z.object({ receipt: z.string() }).parse(await (await answer).json()).receipt;
  };
  const before = await approved('pay_rent');
  const privateKey = generateAuditKey();
  const next = createAuditKeys({ privateKey: parsePrivateKey(privateKey) });
  const former = auditKeys.publicKeys.map(({ x }) => x).join(' ');
  await app.restart({}, { AUDIT_SIGNING_KEY: privateKey, AUDIT_FORMER_KEYS: former });
  const after = await approved('pay_taxes');

  const { headers } = await fetch(`${app.url}/.well-known/jwks.json`);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  const keys = fetchReceiptKeys(app.url);
  expect(await keys('another')).toBeNull();
  const kidOf = (receipt: string) =>
    JSON.parse(Buffer.from(receipt.split('.')[0] ?? '', 'base64url').toString()).kid;
  expect([before, after].map(kidOf)).toEqual([auditKeys.keyId, next.keyId]);
  for (const [receipt, tool] of [
    [before, 'agent_pay_rent'],
    [after, 'agent_pay_taxes'],
  ] as const) {
    const checked = verifyReceipt(receipt, {
      issuer,
      audience: 'agent',
      keys,
      used: new ReceiptMemory({ now: () => BEGIN }),
      now: () => BEGIN + 60_000,
      tool,
      arguments: { summary: 'a' },
    });
    expect(await checked).toMatchObject({ call: { tool } });
  }
});
