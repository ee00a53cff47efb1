import { setCookie } from 'hono/cookie';
import type { HttpContext } from '../../context.ts';
import { redirect } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { type Cookie, isHttps } from './cookies.ts';

type Address = Pick<WebPorts, 'publicUrl'>;

/** Sets one of our cookies, which no script reads. `forMs`: for how long, in milliseconds. */
export function keepCookie(
  c: HttpContext,
  cookie: Cookie,
  value: string,
  { web, forMs }: { readonly web: Address; readonly forMs: number },
): void {
  setCookie(c, cookie.name, value, { ...cookieAttributes(cookie, web), maxAge: forMs / 1000 });
}

/** Where and how a cookie is sent back. */
export function cookieAttributes({ prefix }: Cookie, { publicUrl }: Address) {
  const secure = isHttps(publicUrl());
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure, ...(prefix ? { prefix } : {}) } as const;
}

/** Sends a browser on, with the cookies that were set. */
export function redirectWithCookies(c: HttpContext, location: string): Response {
  const { headers, status } = redirect(location);
  for (const [name, value] of headers) c.header(name, value);
  return c.body(null, status === 303 ? 303 : 302);
}
