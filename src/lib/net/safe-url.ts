/** Whether an address is https, or http on this machine: safe on the way, and no `javascript:`. */
export function isSafeToOpen(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return true;
  return protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Whether an address has a user name or a password in it, which whoever reads or keeps the address gets to know. */
export function hasCredentials(url: string | URL): boolean {
  if (typeof url === 'string' && !URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
