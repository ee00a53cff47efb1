import { RedisSaver } from '@langchain/langgraph-checkpoint-redis';

/** What is used of the client that the saver brings along (node-redis 4). */
interface PlainClient {
  sendCommand(words: readonly string[]): Promise<unknown>;
}

/**
 * The official saver on a Redis without its modules. In front of its client stands a proxy that answers
 * `JSON.SET` and `JSON.GET` by SET and GET of the text, and `FT.CREATE` by PING. This flatters the saver: the
 * server parses no JSON and keeps no search index, and nothing lies on the way to it.
 */
export async function openOfficialSaver(url: string): Promise<RedisSaver> {
  const saver = await withoutConsole(() => RedisSaver.fromUrl(url));
  const real: PlainClient = Reflect.get(saver, 'client');
  const json = {
    async get(key: string): Promise<unknown> {
      const text = await real.sendCommand(['GET', key]);
      return typeof text === 'string' ? JSON.parse(text) : null;
    },
    set(key: string, _path: string, document: unknown, options: { readonly NX?: boolean } = {}) {
      return real.sendCommand(['SET', key, JSON.stringify(document), ...(options.NX ? ['NX'] : [])]);
    },
  };
  const ft = { create: () => real.sendCommand(['PING']) };
  const client = new Proxy(real, {
    get(target, name) {
      if (name === 'json') return json;
      if (name === 'ft') return ft;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  Reflect.set(saver, 'client', client);
  return saver;
}

/** While it connects, the saver writes to the console that the server has no search module. */
async function withoutConsole<T>(work: () => Promise<T>): Promise<T> {
  const { error } = console;
  console.error = () => undefined;
  try {
    return await work();
  } finally {
    console.error = error;
  }
}
