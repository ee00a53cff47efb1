/** The texts of sign-ins that people and the model see. Never hold a secret, or anything that was received. */

export function signInRequired(server: string): string {
  return `${server} wants a sign-in first; nothing was done.`;
}

export function connectToContinue(server: string): string {
  return `Connect ${server} as yourself to go on.`;
}

export function connectForMoreScope(server: string, scope: string): string {
  return `${server} wants more rights for this: ${scope}. Connect it again to give them.`;
}

/** The server keeps asking for a sign-in, whoever signs in how often. */
export function signInUseless(server: string, signIns: number): string {
  return `${server} asked for a sign-in again after ${signIns} sign-ins, so another one would not help; nothing was done. Tell an admin.`;
}

export function refreshFailed(server: string): string {
  return `The sign-in to ${server} could not be renewed just now; nothing was done. Try again in a moment.`;
}

/** `variables`: the settings that are missing. */
export function setupRequired(variables: readonly string[]): string {
  return `Nobody can sign in yet: an admin has to set ${variables.join(' and ')} first. Nothing was done.`;
}

export function noSuchServer(server: string): string {
  return `No server called ${server} has sign-ins; nothing was done.`;
}

/** The server names an authorization server that the operator's client isn't registered with. */
export function otherIssuer(server: string): string {
  return `${server} names an authorization server other than the configured one; nobody was sent there.`;
}

/** For the log. `code`: OAuth's own. */
export function authorizationRefused(code: string): string {
  return `the authorization server answered ${code}`;
}

export function unreadableSecret(keyId: string): string {
  return `A stored sign-in cannot be decrypted with the keys in TOKEN_ENCRYPTION_KEY (it names key ${keyId}). The person has to sign in again.`;
}

export function notOneAccount(account: string): string {
  return `Several entries of mcpServers sign people in to ${account}, and with different clients or at different addresses. Give them the same oauth and sign_in_url, or call the server that is no connector something else.`;
}

export const SECRET_NEEDS_CLIENT = 'needs client_id and issuer too, so that it is sent to nobody else';
