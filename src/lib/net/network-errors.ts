import { errorCauses, errorCode, errorMessage } from '../errors.ts';

const NOT_SIGNED =
  'nobody who is trusted here has signed it. NODE_EXTRA_CA_CERTS names a file with an authority of your own';

/** Why a certificate is not accepted, by the codes of OpenSSL and of the runtime. */
const CERTIFICATES: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'it has expired'],
  ['CERT_NOT_YET_VALID', 'it is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NOT_SIGNED],
  ['SELF_SIGNED_CERT_IN_CHAIN', NOT_SIGNED],
  ['UNABLE_TO_GET_ISSUER_CERT', NOT_SIGNED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NOT_SIGNED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_SIGNED],
]);

/** What went wrong on the way to a server, by the codes of the system and of the HTTP client. */
const ON_THE_WAY: ReadonlyMap<string, (url: URL) => string> = new Map([
  ['ECONNREFUSED', ({ host }) => `Nothing answers at ${host} (connection refused).`],
  ['ENOTFOUND', ({ hostname }) => `There is no host ${hostname} (no such host). Check its url.`],
  ['EAI_AGAIN', ({ hostname }) => `The name ${hostname} cannot be looked up for now (DNS does not answer).`],
  ['EHOSTUNREACH', ({ host }) => `There is no way from here to ${host} (host unreachable).`],
  ['ENETUNREACH', ({ host }) => `There is no way from here to ${host} (network unreachable).`],
  ['ETIMEDOUT', noAnswer],
  ['UND_ERR_CONNECT_TIMEOUT', noAnswer],
  ['ECONNRESET', connectionLost],
  ['UND_ERR_SOCKET', connectionLost],
]);

/** The runtime's codes for TLS that does not come about. */
const TLS = /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/;

/** Why nothing came from a server's address, as a sentence for people; null when it is about something else. */
export function describeNetworkError(error: unknown, url: URL): string | null {
  for (const code of errorCauses(error).map(errorCode)) {
    const certificate = CERTIFICATES.get(code);
    if (certificate !== undefined) return `The certificate of ${url.host} is not accepted: ${certificate}.`;
    if (TLS.test(code)) {
      return `No secure connection to ${url.host} comes about (TLS fails). If it speaks plain http, write http:// in its url.`;
    }
    const why = ON_THE_WAY.get(code);
    if (why !== undefined) return why(url);
  }
  // The client has no code for ports that belong to other protocols.
  if (errorMessage(errorCauses(error).at(-1)) === 'bad port') {
    return `Port ${url.port} belongs to another protocol, so nothing is asked there. The server needs another one.`;
  }
  return null;
}

export function noAnswer({ host }: URL): string {
  return `${host} did not answer in time.`;
}

function connectionLost({ host }: URL): string {
  return `${host} hung up without an answer. If it speaks https, or another port is meant, correct its url.`;
}
