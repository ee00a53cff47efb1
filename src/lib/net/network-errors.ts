import { errorCauses, errorCode, errorMessage } from '../errors.ts';
import {
  CERTIFICATE_EXPIRED,
  CERTIFICATE_NOT_TRUSTED,
  CERTIFICATE_NOT_YET_VALID,
  CERTIFICATE_OF_OTHER_NAME,
  certificateNotAccepted,
  connectionRefused,
  hostUnreachable,
  hungUp,
  nameLookupFailed,
  networkUnreachable,
  noAnswer,
  noSuchHost,
  portOfOtherProtocol,
  tlsFailed,
} from './texts.ts';

/** Why a certificate is not accepted, by the codes of OpenSSL and of the runtime. */
const CERTIFICATES: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', CERTIFICATE_EXPIRED],
  ['CERT_NOT_YET_VALID', CERTIFICATE_NOT_YET_VALID],
  ['ERR_TLS_CERT_ALTNAME_INVALID', CERTIFICATE_OF_OTHER_NAME],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', CERTIFICATE_NOT_TRUSTED],
  ['SELF_SIGNED_CERT_IN_CHAIN', CERTIFICATE_NOT_TRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT', CERTIFICATE_NOT_TRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', CERTIFICATE_NOT_TRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', CERTIFICATE_NOT_TRUSTED],
]);

/** What went wrong on the way to a server, by the codes of the system and of the HTTP client. */
const ON_THE_WAY: ReadonlyMap<string, (url: URL) => string> = new Map([
  ['ECONNREFUSED', connectionRefused],
  ['ENOTFOUND', noSuchHost],
  ['EAI_AGAIN', nameLookupFailed],
  ['EHOSTUNREACH', hostUnreachable],
  ['ENETUNREACH', networkUnreachable],
  ['ETIMEDOUT', noAnswer],
  ['UND_ERR_CONNECT_TIMEOUT', noAnswer],
  ['ECONNRESET', hungUp],
  ['UND_ERR_SOCKET', hungUp],
]);

/** The runtime's codes for TLS that does not come about. */
const TLS = /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/;

/** Why nothing came from a server's address, as a sentence for people; null when it is about something else. */
export function describeNetworkError(error: unknown, url: URL): string | null {
  for (const code of errorCauses(error).map(errorCode)) {
    const certificate = CERTIFICATES.get(code);
    if (certificate !== undefined) return certificateNotAccepted(url, certificate);
    if (TLS.test(code)) return tlsFailed(url);
    const why = ON_THE_WAY.get(code);
    if (why !== undefined) return why(url);
  }
  // The client has no code for ports that belong to other protocols.
  if (errorMessage(errorCauses(error).at(-1)) === 'bad port') return portOfOtherProtocol(url);
  return null;
}

/**
 * Error codes of connections that were never made, with the system call they came from: nothing of the call
 * was sent. An established connection can become unreachable too, so the code alone doesn't suffice.
 */
const NEVER_CONNECTED: ReadonlyMap<string, string | undefined> = new Map([
  ['ECONNREFUSED', 'connect'],
  ['EHOSTUNREACH', 'connect'],
  ['ENETUNREACH', 'connect'],
  ['ENOTFOUND', 'getaddrinfo'],
  ['EAI_AGAIN', 'getaddrinfo'],
  // From the HTTP client and not the system, and only while connecting.
  ['UND_ERR_CONNECT_TIMEOUT', undefined],
]);

/** Whether a request was never sent, because no connection came about. */
export function wasNeverConnected(error: unknown): boolean {
  return errorCauses(error).some((cause) => {
    const code = errorCode(cause);
    return NEVER_CONNECTED.has(code) && NEVER_CONNECTED.get(code) === readSyscall(cause);
  });
}

function readSyscall(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error ? String(error.syscall) : undefined;
}
