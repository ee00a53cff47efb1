import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import { unreadableSecret } from './texts.ts';

/** A key for encrypting secrets at rest. */
export interface VaultKey {
  readonly id: string;
  /** The key's 32 bytes. */
  readonly key: Buffer;
}

const ALGORITHM = 'aes-256-gcm';
/** Lengths recommended by NIST SP 800-38D, in bytes: a random 96-bit IV and the full tag. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Version of the encryption format; part of the authenticated data. */
const VERSION = 'v1';

const base64 = z.base64();

/** An encrypted secret as stored. */
export const sealedSchema = z.object({ key: z.string(), iv: base64, tag: base64, data: base64 });
export type Sealed = z.infer<typeof sealedSchema>;

/** What an encrypted secret is bound to. It can't be decrypted for anything it's copied to. */
export interface Binding {
  readonly kind: 'tokens' | 'client' | 'sign_in' | 'replaced';
  /** The Slack team, or `api` for an API key; empty if the secret belongs to no person. */
  readonly team: string;
  readonly user: string;
  /** The authorization server; empty if not known yet. */
  readonly issuer: string;
  /** The MCP server's address, or the other resource that the secret is for. */
  readonly resource: string;
}

/** The error for a secret that can't be decrypted: its key is gone, or it was stored for something else. */
export class UnreadableSecretError extends AppError {
  constructor(keyId: string) {
    super({
      code: 'secret_unreadable',
      userMessage: unreadableSecret(keyId),
    });
  }
}

export interface Vault {
  seal(secret: string, binding: Binding): Sealed;
  /** @throws UnreadableSecretError */
  open(sealed: Sealed, binding: Binding): string;
  /** Whether it was encrypted with the current key. */
  isCurrent(sealed: Sealed): boolean;
}

/**
 * A vault that encrypts with the first key and decrypts with any of them. AES-256-GCM.
 *
 * @example
 * const sealed = vault.seal('secret', binding);
 * vault.open(sealed, binding); // 'secret'; any other binding throws
 */
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
        // The cipher's error is dropped: it doesn't help people and might help an attacker.
        throw new UnreadableSecretError(sealed.key);
      }
    },
    isCurrent: (sealed) => sealed.key === current.id,
  };
}

/** The authenticated data of a binding. JSON, so that no two bindings serialise alike. */
function boundTo({ kind, team, user, issuer, resource }: Binding): Buffer {
  return Buffer.from(JSON.stringify([VERSION, kind, team, user, issuer, resource]), 'utf8');
}
