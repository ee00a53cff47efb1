import { describe, expect, it } from 'vitest';
import { createAddressLimit } from '../../../../src/http/api/address-limit.ts';
import { describePlace } from '../../../../src/http/authorization/client-rules.ts';
import { startAuthorizationServer } from '../../../helpers/authorization-server.ts';

const ID = 'https://app.test/client.json';
const BACK = 'https://app.test/back';

/** A client that names itself by the address of its description, which says this. */
async function asks(description: object, changes: Readonly<Record<string, string>> = {}) {
  const fetched: string[] = [];
  const { url } = await startAuthorizationServer({
    fetch: async (address) => {
      fetched.push(String(address));
      return Response.json({ client_id: ID, redirect_uris: [BACK], client_name: 'App', ...description });
    },
  });
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: ID,
    redirect_uri: BACK,
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
    ...changes,
  });
  const begun = await fetch(`${url}/oauth/authorize?${asked}`, { redirect: 'manual' });
  const page = begun.headers.get('location');
  const cookie = begun.headers.getSetCookie().map((line) => line.split(';')[0]);
  const headers = { cookie: [...cookie, '__Host-countersign-session=of-ana'].join('; ') };
  const html =
    page === null ? '' : await (await fetch(new URL(new URL(page).pathname, url), { headers })).text();
  return { status: begun.status, page, html, fetched };
}

describe('a client that names itself by the address of its description', () => {
  it('needs no registration', async () => {
    const { html, fetched } = await asks({});
    expect(html).toContain('<strong>App (app.test)</strong> at <strong>app.test</strong>');
    expect(new Set(fetched)).toEqual(new Set([ID]));
  });

  it.each([
    ['names another', { client_id: 'https://other.test/client.json' }],
    ['holds a secret', { client_secret: 's', token_endpoint_auth_method: 'client_secret_post' }],
    ['sends its people over plain http', { redirect_uris: ['http://app.test/back'] }],
    ['sends its people to a script', { redirect_uris: ['javascript:alert(1)'] }],
  ])('is refused where the description %s', async (_what, description) => {
    expect(await asks(description)).toMatchObject({ status: 400, page: null });
  });

  it('is sent nowhere that its description does not name', async () => {
    expect(await asks({}, { redirect_uri: 'https://app.test/other' })).toMatchObject({
      status: 400,
      page: null,
    });
  });

  it.each(['http://app.test/client.json', 'https://app.test/../x#y', 'https://me@app.test/client.json'])(
    'is not read where it is no plain https address: %s',
    async (id) => {
      expect(await asks({}, { client_id: id })).toMatchObject({ status: 400, page: null, fetched: [] });
    },
  );
});

it.each([
  ['http://127.0.0.1:1234/cb', 'localhost'],
  ['http://[::1]/cb', 'localhost'],
  ['https://claude.ai/api/cb', 'claude.ai'],
  ['https://app.test:8443/cb', 'app.test:8443'],
  ['https://xn--pple-43d.com/cb', 'xn--pple-43d.com'],
  ['cursor://anysphere.cursor/cb', 'cursor:'],
])('people read where %s leads: %s', (address, place) => {
  expect(describePlace(address)).toBe(place);
});

it('an address that begins without end is turned away for a while, and no other one', () => {
  const time = { now: 1_000 };
  const mayWrite = createAddressLimit(() => time.now);
  const first = Array.from({ length: 121 }, () => mayWrite('192.0.2.1'));
  expect([first.indexOf(false), mayWrite('192.0.2.2')]).toEqual([120, true]);
  time.now += 10 * 60_000 + 1;
  expect(mayWrite('192.0.2.1')).toBe(true);
});
