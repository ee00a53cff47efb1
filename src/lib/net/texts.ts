/** The texts of requests that people see: why one was not sent, or got no answer. */

// Why an address isn't asked

/** `protocol`: with its colon. */
export function protocolRefused(protocol: string): string {
  return `${protocol} addresses are not asked; only https and, nearby, http.`;
}

export function forbiddenAddress(host: string): string {
  return `${host} is at an address where no server may be; it was not asked.`;
}

export function publicNeedsTls(host: string): string {
  return `${host} is on a public network, where only TLS is used, such as https; it was not asked.`;
}

export function privateNetwork(host: string): string {
  return `${host} is on a private network or on this machine; it was not asked. If its server belongs there, set allow_private_network.`;
}

// Why a redirect isn't followed

/** `why`: one of those below. */
export function redirectRefused(from: string, why: string): string {
  return `${from} sends requests on ${why}; nothing was sent there.`;
}

export const REDIRECT_NOWHERE = 'and does not say where to';
export const REDIRECT_CHANGES_REQUEST = 'in a way that would change them';
export const REDIRECT_ENDLESS = 'again and again';

export function redirectElsewhere(host: string): string {
  return `to another place (${host})`;
}

// Answers

export function answerTooLarge(from: string, maxBytes: number): string {
  const size = maxBytes < 1024 * 1024 ? `${maxBytes} bytes` : `${Math.floor(maxBytes / 1024 / 1024)} MB`;
  return `${from} answered with more than ${size}.`;
}

/** The first half of a sentence. */
export function endedForLongMessage(server: string): string {
  return `The connection was ended because ${server} wrote more than 10 MB in one message`;
}

export function noAnswer({ host }: URL): string {
  return `${host} did not answer in time. See that it runs, or check its url.`;
}

// Why nothing came of a connection

export function connectionRefused({ host }: URL): string {
  return `Nothing answers at ${host} (connection refused). Start it, or check its url.`;
}

export function noSuchHost({ hostname }: URL): string {
  return `There is no host ${hostname} (no such host). Check its url.`;
}

export function nameLookupFailed({ hostname }: URL): string {
  return `The name ${hostname} cannot be looked up for now (DNS does not answer).`;
}

export function hostUnreachable({ host }: URL): string {
  return `There is no way from here to ${host} (host unreachable).`;
}

export function networkUnreachable({ host }: URL): string {
  return `There is no way from here to ${host} (network unreachable).`;
}

export function hungUp({ host }: URL): string {
  return `${host} hung up without an answer. If it speaks https, or another port is meant, correct its url.`;
}

export function tlsFailed({ host }: URL): string {
  return `No secure connection to ${host} comes about (TLS fails). If it speaks plain http, write http:// in its url.`;
}

export function portOfOtherProtocol({ port }: URL): string {
  return `Port ${port} is reserved for another protocol, so it was not contacted. Use another port for this server.`;
}

/** `why`: one of those below. */
export function certificateNotAccepted({ host }: URL, why: string): string {
  return `The certificate of ${host} is not accepted: ${why}.`;
}

export const CERTIFICATE_EXPIRED = 'it has expired';
export const CERTIFICATE_NOT_YET_VALID = 'it is not valid yet';
export const CERTIFICATE_OF_OTHER_NAME = 'it is for another name';
export const CERTIFICATE_NOT_TRUSTED =
  'nobody who is trusted here has signed it. NODE_EXTRA_CA_CERTS names a file with an authority of your own';

/** The rule of a setting that names networks. */
export const NETWORKS_RULE = 'must be addresses or networks such as 10.0.0.0/8, with commas';
