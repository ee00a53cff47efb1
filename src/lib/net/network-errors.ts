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
