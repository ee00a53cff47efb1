import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../lib/errors.ts';

/** A key for secrets at rest. */
export interface VaultKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

const ALGORITHM = 'aes-256-gcm';
/** The lengths that NIST SP 800-38D recommends, in bytes: a random IV of 96 bits, the whole tag. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Of the way in which things are sealed: a part of what every seal is bound to. */
const VERSION = 'v1';

const base64 = z.base64();

/** A secret as it is stored. */
export const sealedSchema = z.object({ key: z.string(), iv: base64, tag: base64, data: base64 });
export type Sealed = z.infer<typeof sealedSchema>;

/** What a sealed secret belongs to: it opens for exactly this, and for nothing that it is copied to. */
export interface Binding {
  readonly kind: 'tokens' | 'client' | 'sign_in' | 'replaced';
  /** The Slack team, or `api` for an API key; empty for what is no person's. */
  readonly team: string;
  readonly user: string;
  /** The authorization server; empty where it is not known yet. */
  readonly issuer: string;
  /** The MCP server's address, or what else the secret is for. */
  readonly resource: string;
}

/** The secret cannot be read: its key is not there any more, or it is not what was stored for this. */
export class UnreadableSecretError extends AppError {
  constructor(keyId: string) {
    super({
      code: 'secret_unreadable',
      userMessage: `A stored sign-in cannot be read with the keys in TOKEN_ENCRYPTION_KEY (it names key ${keyId}); it has to be made anew.`,
    });
  }
}

export interface Vault {
  seal(secret: string, binding: Binding): Sealed;
  /** @throws UnreadableSecretError */
  open(sealed: Sealed, binding: Binding): string;
  /** Whether it was sealed with the key that is the first one now. */
  isCurrent(sealed: Sealed): boolean;
}

/** Seals with the first key, and opens with all of them. */
export function createVault([current, ...former]: readonly [VaultKey, ...VaultKey[]]): Vault {
  const keys = new Map([current, ...former].map(({ id, key }) => [id, key]));
  return {
    seal(secret, binding) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(binding));
      const data = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      const text = (bytes: Buffer) => bytes.toString('base64');
      return { key: current.id, iv: text(iv), tag: text(cipher.getAuthTag()), data: text(data) };
    },
    open(sealed, binding) {
      const key = keys.get(sealed.key);
      if (!key) throw new UnreadableSecretError(sealed.key);
      const bytes = (text: string) => Buffer.from(text, 'base64');
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes(sealed.iv), { authTagLength: TAG_BYTES });
        decipher.setAAD(boundTo(binding));
        decipher.setAuthTag(bytes(sealed.tag));
        return Buffer.concat([decipher.update(bytes(sealed.data)), decipher.final()]).toString('utf8');
      } catch {
        // What the cipher says of it is left out: it tells nothing to people, and may tell something to others.
        throw new UnreadableSecretError(sealed.key);
      }
    },
    isCurrent: (sealed) => sealed.key === current.id,
  };
}

/** As a JSON list, so that no two bindings read the same. */
function boundTo({ kind, team, user, issuer, resource }: Binding): Buffer {
  return Buffer.from(JSON.stringify([VERSION, kind, team, user, issuer, resource]), 'utf8');
}
