import { loadConnectors } from '../../src/connectors/index.ts';
import type { Actor, SignedInAccount } from '../../src/gate/types.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { parseServers } from '../../src/mcp/config/load.ts';
import { readSlackUser } from '../../src/slack/index.ts';
import { ANA, emptyStore, oauthInstance, said } from '../fixtures/oauth/instance.ts';
import { GOOGLE_CLIENT, startGoogle } from './google.ts';
import type { MailServers } from './mail-servers.ts';
import type { StrictService } from './strict-service.ts';

type Shared = Partial<Pick<Parameters<typeof oauthInstance>[1], 'store' | 'keys'>>;

/** A process with connectors, whose entries these are, under their names. `shared`: what it has in common with others. */
export async function connectorsInstance(
  entries: Readonly<Record<string, object>>,
  env: Readonly<Record<string, string>> = {},
  { store, ...keys }: Shared = {},
) {
  const named = Object.entries(entries).map(([name, entry]) => [name, { connector: name, ...entry }]);
  const servers = parseServers(Object.fromEntries(named), env, 'countersign.yaml');
  const connectors = await loadConnectors(servers);
  const instance = oauthInstance(
    { url: '' },
    { store: store ?? (await emptyStore()), ...keys, servers, connectors },
  );
  await instance.hub.start();
  return {
    ...instance,
    send: (server: string, tool: string, person: Actor, args: object = {}) =>
      instance.send(tool, person, args, undefined, server),
    /** Sends what was proposed for this account. */
    sendOf: (account: SignedInAccount, server: string, tool: string, person: Actor, args: object = {}) =>
      instance.send(tool, person, args, { account }, server),
    /** Reads as the inbox does, which has the server tell of new mails, or no longer. */
    sendTelling: (notify: boolean, server: string, tool: string, person: Actor) =>
      instance.send(tool, person, {}, { notify }, server),
    /** What a call answered, in words. */
    async ask(server: string, tool: string, person: Actor, args: object = {}): Promise<string> {
      return said(await instance.send(tool, person, args, undefined, server));
    },
  };
}

/** A process with one connector. */
export async function connectorInstance(
  name: string,
  entry: object,
  env: Readonly<Record<string, string>> = {},
) {
  const instance = await connectorsInstance({ [name]: entry }, env);
  return {
    ...instance,
    signIn: (person: Actor, login: string) => instance.signIn(person, login, undefined, name),
    send: (tool: string, person: Actor, args: object = {}) => instance.send(name, tool, person, args),
    ask: (tool: string, person: Actor, args: object = {}) => instance.ask(name, tool, person, args),
    disconnect: (person: Actor) => instance.oauth.personal.disconnect(name, person),
  };
}

/** A process with a mailbox of Ana's on these servers. `read` calls a tool for her and gives its structured answer. */
export async function mailboxInstance(
  servers: MailServers,
  { mailbox = {}, ...entry }: { readonly mailbox?: object; readonly [key: string]: unknown } = {},
) {
  const owner = readSlackUser(ANA.id);
  const instance = await connectorInstance('imap', {
    mailbox: { ...servers.entry(), ...mailbox },
    owner,
    ...entry,
  });
  return {
    ...instance,
    async read(tool: string, args: object = {}): Promise<JsonObject> {
      const result = await instance.send(tool, ANA, args);
      if (result.kind !== 'ended' || result.outcome.status !== 'succeeded') throw new Error(said(result));
      return result.outcome.structured ?? {};
    },
    tell: (tool: string, args: object = {}) => instance.ask(tool, ANA, args),
  };
}

/** A process with connectors of Google, both unless they are named, and the service. */
export async function googleInstance({
  service: given,
  names = ['gmail', 'google-calendar'],
  scopes,
  shared = {},
  ...options
}: Parameters<typeof startGoogle>[0] & {
  /** What the operator has people asked for. */
  readonly scopes?: readonly string[];
  readonly service?: StrictService;
  readonly names?: readonly string[];
  readonly shared?: Shared;
} = {}) {
  const service = given ?? (await startGoogle(options));
  const { clientId: client_id, clientSecret: client_secret } = GOOGLE_CLIENT;
  const oauth = { client_id, client_secret, ...(scopes && { scopes }) };
  const entries = names.map((name) => [name, { api_url: service.url, oauth }]);
  const instance = await connectorsInstance(Object.fromEntries(entries), {}, shared);
  return {
    ...instance,
    service,
    signIn: (person: Actor, login: string, link?: string) => instance.signIn(person, login, link, 'google'),
    mail: (tool: string, person: Actor, args: object = {}) => instance.ask('gmail', tool, person, args),
    calendar: (tool: string, person: Actor, args: object = {}) =>
      instance.ask('google-calendar', tool, person, args),
  };
}
