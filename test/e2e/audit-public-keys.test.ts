import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { fetchReceiptKeys } from 'countersign-client';
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  createAuditKeys,
  createAuditVerifier,
  generateAuditKey,
  parsePrivateKey,
} from '../../src/gate/audit/keys.ts';
import { verifyStore } from '../../src/gate/verify-store.ts';
import { startAppWithModel } from '../helpers/app.ts';
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

/** The app, after Ana had it add an event to the calendar and approved that. */
async function livedIn() {
  const { app, driver, model } = await startAppWithModel({
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

it('receipts of a key that was replaced are still verified by the published keys', async () => {
  const former = createAuditKeys({ privateKey: parsePrivateKey(generateAuditKey()) });
  const { app } = await startAppWithModel({
    env: { AUDIT_FORMER_KEYS: former.publicKeys.map(({ x }) => x).join(' ') },
    file: { mcpServers: {} },
  });
  const { headers } = await fetch(`${app.url}/.well-known/jwks.json`);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  const find = fetchReceiptKeys(app.url);
  expect((await find(auditKeys.keyId))?.asymmetricKeyType).toBe('ed25519');
  expect((await find(former.keyId))?.asymmetricKeyType).toBe('ed25519');
  expect(await find('another')).toBeNull();
});
