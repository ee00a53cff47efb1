import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../lib/json.ts';

/** A public key as a JSON Web Key. @see https://www.rfc-editor.org/rfc/rfc8037#section-2 */
interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** What is signed of an entry, and by which key. */
interface EntrySignature {
  readonly hash: string;
  readonly keyId?: string | undefined;
  /** Ed25519, base64url. */
  readonly signature?: string | undefined;
}

/** Tells whether an audit entry was signed by one of the keys that are accepted. */
export interface AuditVerifier {
  /** False without a signature, and for a key that isn't accepted. */
  isSigned(entry: EntrySignature): boolean;
  /** The accepted public keys; the first is the one that signs now, where there is one. */
  readonly publicKeys: readonly PublicJwk[];
}

/** The key that signs audit entries, which the store doesn't hold; docs/decisions/0044 explains why. */
export interface AuditKeys extends AuditVerifier {
  readonly keyId: string;
  /** The signature of an entry's hash, base64url. */
  sign(hash: string): string;
  /** A signed JSON Web Token of a type; no signature of one is an entry's. docs/decisions/0072 says why. */
  signToken(type: string, claims: JsonObject): string;
}

/** Begins every message that is signed, so that a signature means nothing anywhere else. */
const DOMAIN = 'countersign.audit.entry.v1:';
/** Signatures of this process that are remembered, some 200 bytes each. */
const KEPT_SIGNATURES = 10_000;
/** Characters of the thumbprint that name a key: 96 bits. */
const KEY_ID_LENGTH = 16;
/** The length of a public key's `x`, in base64url characters. */
const X_LENGTH = 43;

/**
 * The keys of the audit. `former`: public keys whose entries are still accepted, after the key was replaced.
 * @throws Error for a key that isn't Ed25519.
 */
export function createAuditKeys({
  privateKey,
  former = [],
}: {
  readonly privateKey: KeyObject;
  readonly former?: readonly KeyObject[];
}): AuditKeys {
  const own = createPublicKey(privateKey);
  const { kid: keyId } = toPublicJwk(own);
  const verifier = createAuditVerifier([own, ...former]);
  // What was just signed here need not be verified, which takes twice as long as signing.
  const signed = new LRUCache<string, string>({ max: KEPT_SIGNATURES });
  return {
    ...verifier,
    keyId,
    sign(hash) {
      const signature = sign(null, message(hash), privateKey).toString('base64url');
      signed.set(hash, signature);
      return signature;
    },
    signToken(type, claims) {
      const signed = `${jwsPart({ alg: 'EdDSA', typ: type, kid: keyId })}.${jwsPart(claims)}`;
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
    },
    isSigned(entry) {
      const isOwn = entry.keyId === keyId && entry.signature !== undefined;
      return (isOwn && signed.get(entry.hash) === entry.signature) || verifier.isSigned(entry);
    },
  };
}

/**
 * What verifies entries without being able to write any: for a copy of the audit on another machine.
 * @throws Error for a key that isn't Ed25519.
 */
export function createAuditVerifier(keys: readonly KeyObject[]): AuditVerifier {
  const publicKeys = keys.map(toPublicJwk);
  const byId = new Map(publicKeys.map(({ kid }, index) => [kid, keys[index]]));
  return {
    publicKeys,
    isSigned({ hash, keyId = '', signature }) {
      const key = byId.get(keyId);
      if (key === undefined || signature === undefined) return false;
      return verify(null, message(hash), key, Buffer.from(signature, 'base64url'));
    },
  };
}

function message(hash: string): Buffer {
  return Buffer.from(`${DOMAIN}${hash}`);
}

/** A part of a JSON Web Signature in its compact form. @see https://www.rfc-editor.org/rfc/rfc7515#section-7.1 */
function jwsPart(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A new private key, PKCS#8 as PEM. */
export function generateAuditKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * The private key in a text: PKCS#8, as PEM or as base64 of its DER.
 * @throws when the text holds none; the error doesn't hold the text.
 */
export function parsePrivateKey(text: string): KeyObject {
  const pem = text.includes('-----BEGIN');
  const key = pem
    ? createPrivateKey(text.replaceAll('\\n', '\n'))
    : createPrivateKey({ key: Buffer.from(text, 'base64'), type: 'pkcs8', format: 'der' });
  return requireEd25519(key);
}

/**
 * The public key in a text: `x` of a JSON Web Key, or SPKI as PEM or as base64 of its DER.
 * @throws when the text holds none.
 */
export function parsePublicKey(text: string): KeyObject {
  if (text.length === X_LENGTH && /^[\w-]+$/.test(text)) {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' });
  }
  // A private key would be taken for its public half, and must not be passed around as one.
  if (text.includes('PRIVATE')) throw new Error('it is a private key');
  const key = text.includes('-----BEGIN')
    ? createPublicKey(text)
    : createPublicKey({ key: Buffer.from(text, 'base64'), type: 'spki', format: 'der' });
  return requireEd25519(key);
}

function requireEd25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
  return key;
}

function toPublicJwk(key: KeyObject): PublicJwk {
  const { x = '' } = requireEd25519(key).export({ format: 'jwk' });
  // The thumbprint of RFC 7638, which says which members in which order.
  const thumbprint = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
  const kid = thumbprint.digest('base64url').slice(0, KEY_ID_LENGTH);
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' };
}
