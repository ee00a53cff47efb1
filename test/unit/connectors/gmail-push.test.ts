import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createPushReader } from '../../../src/connectors/gmail/push.ts';
import { ANA } from '../../fixtures/oauth/instance.ts';
import { connectorsInstance } from '../../helpers/connector.ts';
import { GOOGLE_CLIENT, startGoogle } from '../../helpers/google.ts';
import { type Forged, SERVICE_ACCOUNT, TOPIC } from '../../helpers/pubsub.ts';

const ENDPOINT = 'https://us.test/push/gmail';

const keysSchema = z.object({ keys: z.array(z.looseObject({})) });

/** A token that nobody has signed. */
function nobodys(header: object): string {
  const parts = [JSON.stringify({ alg: 'RS256', ...header }), '{}', 'nothing'];
  return parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
}

async function open() {
  const { url, pubsub } = await startGoogle();
  const reader = (signInUrl: string) =>
    createPushReader({ audience: ENDPOINT, serviceAccount: SERVICE_ACCOUNT, signInUrl, fetch });
  const read = reader(url);
  const toRequest = (body: string, token: string | null) => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    return new Request(ENDPOINT, { method: 'POST', headers, body });
  };
  return {
    ...{ url, pubsub, read, reader, toRequest },
    push: async (forged: Forged = {}, body = pubsub.envelope('Ana@example.com')) =>
      read(toRequest(body, await pubsub.token(url, ENDPOINT, forged))),
  };
}

it('says whose mailbox it is of, by the id of their account', async () => {
  const { push } = await open();
  expect(await push()).toEqual({ account: 'ana@example.com' });
});

it.each<[what: string, forged: Forged]>([
  ['for somebody else', { audience: 'https://others.test/push/gmail' }],
  ['of another service account', { email: 'push@others.iam.gserviceaccount.com' }],
  ['of an address that Google hasn’t verified', { isVerified: false }],
  ['that is over', { expiresIn: -120 }],
  ['of another issuer', { issuer: 'https://accounts.others.test' }],
  ['that Google hasn’t signed', { isOurs: false }],
])('refuses a token %s', async (_what, forged) => {
  const { push } = await open();
  expect(await push(forged)).toEqual({ status: 401 });
});

it('refuses what has no token, or one that isn’t signed', async () => {
  const { url, pubsub, read, toRequest } = await open();
  const body = pubsub.envelope('ana@example.com');
  expect(await read(toRequest(body, null))).toEqual({ status: 401 });
  expect(await read(toRequest(body, 'no.token.at-all'))).toEqual({ status: 401 });
  const [, payload = ''] = (await pubsub.token(url, ENDPOINT)).split('.');
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  expect(await read(toRequest(body, `${unsigned}.${payload}.`))).toEqual({ status: 401 });
});

it('refuses a token that doesn’t say which of Google’s keys it’s signed with', async () => {
  const { url, toRequest } = await open();
  const both = async () => {
    const { keys } = keysSchema.parse(await (await fetch(`${url}/oauth2/v3/certs`)).json());
    return Response.json({ keys: keys.flatMap((key) => [key, { ...key, kid: 'another' }]) });
  };
  const sender = { audience: ENDPOINT, serviceAccount: SERVICE_ACCOUNT, signInUrl: url, fetch: both };
  expect(await createPushReader(sender)(toRequest('', nobodys({})))).toEqual({ status: 401 });
});

it('asks for keys that couldn’t be had no sooner than after ten seconds, and goes by those that it knows', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { url, pubsub, toRequest } = await open();
  const google = { isDown: true, asked: 0 };
  const counted = async () => {
    google.asked += 1;
    return google.isDown ? new Response(null, { status: 500 }) : fetch(`${url}/oauth2/v3/certs`);
  };
  const sender = { audience: ENDPOINT, serviceAccount: SERVICE_ACCOUNT, signInUrl: url, fetch: counted };
  const read = createPushReader(sender);
  const push = async () =>
    read(toRequest(pubsub.envelope('ana@example.com'), await pubsub.token(url, ENDPOINT)));
  const forge = () => read(toRequest('', nobodys({ kid: 'of nobody' })));
  for (let time = 0; time < 20; time += 1) expect(await forge()).toEqual({ status: 503 });
  expect(google.asked).toBe(1);
  google.isDown = false;
  vi.advanceTimersByTime(9_999);
  expect(await push()).toEqual({ status: 503 });
  vi.advanceTimersByTime(1);
  expect(await push()).toEqual({ account: 'ana@example.com' });
  expect(google.asked).toBe(2);
  google.isDown = true;
  vi.advanceTimersByTime(31_000);
  for (let time = 0; time < 20; time += 1) expect(await forge()).toEqual({ status: 503 });
  expect(await push()).toEqual({ account: 'ana@example.com' });
  expect(google.asked).toBe(3);
});

it('takes nothing while Google’s keys can’t be had, and has it sent again', async () => {
  const { url, pubsub, reader, toRequest } = await open();
  const token = await pubsub.token('http://127.0.0.1:1', ENDPOINT);
  const request = toRequest(pubsub.envelope('ana@example.com'), token);
  expect(await reader('http://127.0.0.1:1')(request)).toEqual({ status: 503 });
  expect(await reader(`${url}/nowhere`)(request.clone())).toEqual({ status: 503 });
});

it('takes Google’s own tokens and keys, asked for by the guarded fetch, where the operator hosts neither', async () => {
  const { url, pubsub, toRequest } = await open();
  const asked: string[] = [];
  const guarded = async (target: string | URL) => {
    asked.push(String(target));
    return fetch(`${url}/oauth2/v3/certs`);
  };
  const sender = { audience: ENDPOINT, serviceAccount: SERVICE_ACCOUNT, signInUrl: null, fetch: guarded };
  const read = createPushReader(sender);
  const push = async (issuer: string) =>
    read(toRequest(pubsub.envelope('ana@example.com'), await pubsub.token(issuer, ENDPOINT)));
  // developers.google.com/identity/openid-connect/openid-connect#discovery
  expect(await push('https://accounts.google.com')).toEqual({ account: 'ana@example.com' });
  expect(await push(url)).toEqual({ status: 401 });
  expect(asked).toEqual(['https://www.googleapis.com/oauth2/v3/certs']);
});

it('reads no more than 16 KB, whether or not the length is said', async () => {
  const { url, pubsub, read, toRequest, push } = await open();
  const giant = JSON.stringify({ message: { data: 'A'.repeat(1_000_000) } });
  expect(await push({}, giant)).toEqual({ status: 413 });
  const said = toRequest(giant, null);
  said.headers.set('content-length', String(giant.length));
  expect(await read(said)).toEqual({ status: 413 });
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(4_096));
    },
  });
  const headers = { authorization: `Bearer ${await pubsub.token(url, ENDPOINT)}` };
  const streamed = { method: 'POST', headers, body, duplex: 'half' };
  expect(await read(new Request(ENDPOINT, streamed))).toEqual({ status: 413 });
  expect(sent).toBeLessThan(10);
});

it.each(['', 'no json', '{}', '{"message":{"data":"AAAA"}}', '{"message":{"data":"e30"}}', '[null]'])(
  'takes %o, which is none of Gmail’s, for nobody’s mailbox',
  async (body) => {
    const { push } = await open();
    expect(await push({}, body)).toEqual({ account: null });
  },
);

it('has Gmail tell, or no longer, as the inbox asks, and as no call of a model can', async () => {
  const service = await startGoogle();
  const oauth = { client_id: GOOGLE_CLIENT.clientId, client_secret: GOOGLE_CLIENT.clientSecret };
  const push = { topic: TOPIC, service_account: SERVICE_ACCOUNT };
  const instance = await connectorsInstance({ gmail: { api_url: service.url, oauth, push } });
  await instance.signIn(ANA, 'ana', undefined, 'google');
  const isTold = () => service.pubsub.isWatched('ana@example.com');
  await instance.sendTelling(true, 'gmail', 'list_new_messages', ANA);
  expect(isTold()).toBe(true);
  expect(await instance.ask('gmail', 'list_new_messages', ANA, { notify: false })).toContain('notify');
  await instance.ask('gmail', 'list_new_messages', ANA);
  expect(isTold()).toBe(true);
  await instance.sendTelling(false, 'gmail', 'list_new_messages', ANA);
  expect(isTold()).toBe(false);
});
