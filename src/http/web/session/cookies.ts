/** A cookie. */
export interface Cookie {
  readonly name: string;
  /** `__Host-`: set by this host, over https; nothing beside us can plant it. */
  readonly prefix?: 'host';
}

export const SIGN_IN_PATH = '/sign-in/slack';
export const CALLBACK_PATH = '/sign-in/slack/callback';

/** Where a link signs somebody in, once. */
export const LINK_PATH = '/sign-in/link';
/** Where an API key signs in. */
export const KEY_PATH = '/sign-in/key';
/** Where a session is ended. */
export const SIGN_OUT_PATH = '/sign-out';

/** Where somebody who has signed in decides what waits for them. */
export const DASHBOARD_PATH = '/dashboard';
export const CALLS_PATH = `${DASHBOARD_PATH}/calls`;
export const SESSIONS_PATH = `${DASHBOARD_PATH}/sessions`;
/** What happened in one session, which the query names. */
export const TIMELINE_PATH = `${SESSIONS_PATH}/timeline`;
export const NOTEBOOK_PATH = `${SESSIONS_PATH}/notebook`;

/** What somebody signs in for: a call, a link to connect a server, to let a program in, or the dashboard. */
export type CameFor =
  | { readonly for: string }
  | { readonly link: string }
  | { readonly consent: string }
  /** Which page of it: what stands after `/dashboard` in its address. */
  | { readonly dashboard: string };

/** The longest page and query that a sign-in comes back to, in characters. */
const LONGEST_PAGE = 500;

/**
 * What stands after `/dashboard` in the address of one of its pages: itself where it stays there, else the first page's,
 * which is empty. Whatever comes in an address is ours only as far as this says.
 */
export function pageOfDashboard(given: string): string {
  if (given.length > LONGEST_PAGE || !/^(?:\/[a-z]|\?)[!-~]*$/.test(given)) return '';
  // As browsers read it, who resolve dots and turn backslashes.
  const { pathname, search } = new URL(`${DASHBOARD_PATH}${given}`, 'http://localhost');
  return pathname === DASHBOARD_PATH || pathname.startsWith(`${DASHBOARD_PATH}/`)
    ? `${pathname}${search}`.slice(DASHBOARD_PATH.length)
    : '';
}

/** Where an API key signs in that comes for this page of the dashboard. */
export function keyPath(dashboard: string): string {
  return dashboard === '' ? KEY_PATH : `${KEY_PATH}?${new URLSearchParams({ dashboard })}`;
}

/** Where somebody signs in who comes for this. */
export function signInPath(came: CameFor): string {
  return `${SIGN_IN_PATH}?${new URLSearchParams({ ...came })}`;
}

/** Where one person decides a call. */
export function createDecideUrl(publicUrl: () => string): (callKey: string) => string {
  return (callKey) => `${publicUrl()}/decide/${callKey}`;
}

/** The two cookies, as they are named where the pages are. */
export function webCookies(publicUrl: () => string) {
  const cookie = (name: string): Cookie => (isHttps(publicUrl()) ? { name, prefix: 'host' } : { name });
  return {
    /** The browser that began a sign-in. */
    get browser() {
      return cookie('countersign-sign-in');
    },
    /** Who signed in. */
    get session() {
      return cookie('countersign-session');
    },
  };
}

export function isHttps(url: string): boolean {
  return url.startsWith('https:');
}
