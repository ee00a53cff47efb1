import { loadConnectors } from '../../src/connectors/index.ts';
import type { Actor } from '../../src/gate/types.ts';
import { parseServers } from '../../src/mcp/config/load.ts';
import { emptyStore, oauthInstance, said } from '../fixtures/oauth/instance.ts';

/** A process with one connector, whose entry this is, under the connector's name. */
export async function connectorInstance(
  name: string,
  entry: object,
  env: Readonly<Record<string, string>> = {},
) {
  const servers = parseServers({ [name]: { connector: name, ...entry } }, env, 'countersign.yaml');
  const connectors = await loadConnectors(servers);
  const instance = oauthInstance({ url: '' }, { store: await emptyStore(), servers, connectors });
  await instance.hub.start();
  return {
    ...instance,
    signIn: (person: Actor, login: string) => instance.signIn(person, login, undefined, name),
    send: (tool: string, person: Actor, args: object = {}) =>
      instance.send(tool, person, args, undefined, name),
    /** What a call answered, in words. */
    async ask(tool: string, person: Actor, args: object = {}): Promise<string> {
      return said(await instance.send(tool, person, args, undefined, name));
    },
    disconnect: (person: Actor) => instance.oauth.personal.disconnect(name, person),
  };
}
