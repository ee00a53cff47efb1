import { z } from 'zod';

/** A key that encrypts people's tokens. */
export interface TokenKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

const KEY_BYTES = 32;
const KEY = /^([A-Za-z0-9._-]{1,32}):([A-Za-z0-9+/]{43}=)$/;
const RULE =
  'must be id:key, or several with commas between them, each key 32 bytes in base64 (openssl rand -base64 32) and each id another';

/** `TOKEN_ENCRYPTION_KEY`: the first key encrypts, all of them decrypt. The error never holds the value. */
export const tokenKeysSchema = z.string().transform((text, context): readonly TokenKey[] => {
  const keys = text.split(',').map((part) => parseKey(part.trim()));
  const found = keys.filter((key) => key !== null);
  if (found.length === keys.length && new Set(found.map(({ id }) => id)).size === found.length) return found;
  context.addIssue({ code: 'custom', message: RULE });
  return z.NEVER;
});

function parseKey(text: string): TokenKey | null {
  const [, id, encoded] = KEY.exec(text) ?? [];
  if (id === undefined || encoded === undefined) return null;
  const key = Buffer.from(encoded, 'base64');
  return key.length === KEY_BYTES ? { id, key } : null;
}
