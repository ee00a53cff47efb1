import {
  createMask,
  isSecretName,
  isTooPlain,
  listSecrets,
  type Mask,
  type Secret,
} from '../../lib/secret-mask.ts';
import type { ServerConfig } from './schema.ts';

export type { Mask } from '../../lib/secret-mask.ts';

/** The server's configuration, with secrets of this program that it wasn't given, and that it mustn't say either. */
export function withSecrets(config: ServerConfig, secrets: readonly Secret[]): ServerConfig {
  return Object.defineProperties(
    { ...config },
    {
      filledIn: { value: config.filledIn ?? new Map() },
      missing: { value: config.missing ?? [] },
      secrets: { value: secrets },
    },
  );
}

/**
 * A mask for failures and log lines: everything that a server was given from the environment, secret or not, which is
 * read by people who mustn't see those, and the secrets of this program.
 */
export function createSecretMask(config: ServerConfig): Mask {
  const given = listGiven(config).map(([name, value]) => ({ name, value }));
  return createMask([...(config.secrets ?? []), ...given, ...listHeaders(config)]);
}

/**
 * A mask for all that a server sends: the secrets of this program, those that the server was given, and the token of a
 * person's sign-in. Other settings stay, such as folders and names, which the model needs to use the server.
 */
export function createResultMask(config: ServerConfig, token: string | null): Mask {
  const given = listGiven(config);
  return createMask([
    ...(config.secrets ?? []),
    ...listSecrets(given),
    ...given.filter(([, value]) => looksRandom(value)).map(([name, value]) => ({ name, value })),
    ...listHeaders(config),
    ...(token === null ? [] : [{ name: 'SIGN_IN_TOKEN', value: token }]),
  ]);
}

/** The environment's values anywhere in its configuration, and its process's variables. */
function listGiven(config: ServerConfig): readonly (readonly [name: string, value: string])[] {
  return [...(config.filledIn ?? []), ...Object.entries('command' in config ? config.env : {})];
}

/** What is sent with each request to authenticate, also where it's written into the configuration itself. */
function listHeaders(config: ServerConfig): readonly Secret[] {
  if ('connector' in config) {
    const { key = '', oauth: { client_secret: secret = '' } = {}, mailbox } = config;
    const own = [
      { name: 'KEY', value: key },
      { name: 'PASSWORD', value: mailbox?.password ?? '' },
      { name: 'CLIENT_SECRET', value: secret },
    ];
    return own.filter(({ value }) => !isTooPlain(value));
  }
  if (!('headers' in config)) return [];
  return Object.entries(config.headers)
    .filter(([name]) => isSecretName(name) || /^(?:proxy-)?authorization$|^cookie$/i.test(name))
    .map(([name, value]) => ({ name, value: value.replace(/^(?:Bearer|Basic|Token)\s+/i, '') }))
    .filter(({ value }) => !isTooPlain(value));
}

/** Whether a value looks like a key, whatever its variable is called: long, of letters and digits, and no address or path. */
function looksRandom(value: string): boolean {
  return value.length >= 16 && /^[\w=+-]+$/.test(value) && /[a-z]/i.test(value) && /\d/.test(value);
}
