import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PAGE } from './texts.ts';

/** Serves the page's files. Returns false for a request that is not for one of them. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

interface PageAssets {
  readonly html: string;
  readonly js: string;
  readonly css: string;
}

/**
 * Everything comes from this server and nothing is inline. Pictures may be `data:` for the icon of the
 * page; those of other servers are shown as links (`blocks/picture.tsx` says why).
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ICON = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#c63a26"/><path d="M4 14.2 8.6 18 15 6.200c.9-1.700 3-1 2.600.9-.5 2.600-3.700 5.300-5.600 6.900 2-.9 3.600-.4 3.500 1.300 0 .9.900 1.100 1.900.5L20 14.600" fill="none" stroke="#fff" stroke-width="1.800" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>${PAGE.title}</title>
<link rel="icon" href="data:image/svg+xml,${ICON}">
<link rel="stylesheet" href="/assets/page.css">
<script type="module" src="/assets/page.js"></script>
</head>
<body>
<div id="root"></div>
<noscript>${PAGE.needsScript}</noscript>
</body>
</html>
`;

/** The page's files. A built package holds the bundle; a checkout makes it, in about 100 ms. */
export async function loadPageAssets(): Promise<PageAssets> {
  if (import.meta.url.endsWith('.ts')) {
    const { bundlePage } = await import('./bundle-page.ts');
    return { html: HTML, ...(await bundlePage()) };
  }
  const read = (name: string) => readFile(new URL(`../page/${name}`, import.meta.url), 'utf8');
  const [js, css] = await Promise.all([read('page.js'), read('page.css')]);
  return { html: HTML, js, css };
}

/** A handler that serves the page at `/`, `/assets/page.js` and `/assets/page.css`; false for any other request. */
export function pageHandler(): PageHandler {
  const loaded = loadPageAssets();
  // The error is shown to whoever opens the page. Unhandled, it would end the process first.
  loaded.catch(() => {});
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const asset = ASSETS[pathname];
    if (asset === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
    const headers = {
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    };
    loaded.then(
      (assets) => {
        response.writeHead(200, { ...headers, 'content-type': asset.contentType });
        response.end(request.method === 'HEAD' ? undefined : assets[asset.part]);
      },
      (error: unknown) => {
        response.writeHead(500, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
        response.end(PAGE.notLoaded(error instanceof Error ? error.message : String(error)));
      },
    );
    return true;
  };
}

const ASSETS: Readonly<Record<string, { readonly part: keyof PageAssets; readonly contentType: string }>> = {
  '/': { part: 'html', contentType: 'text/html; charset=utf-8' },
  '/assets/page.js': { part: 'js', contentType: 'text/javascript; charset=utf-8' },
  '/assets/page.css': { part: 'css', contentType: 'text/css; charset=utf-8' },
};
