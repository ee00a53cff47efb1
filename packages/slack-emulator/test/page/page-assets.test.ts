import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPageAssets, pageHandler } from '../../src/server/page-assets.ts';

describe('the page’s assets', () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    const handle = pageHandler();
    server = createServer((request, response) => {
      if (!handle(request, response)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/?anything', 'text/html; charset=utf-8'],
    ['/assets/page.js', 'text/javascript; charset=utf-8'],
    ['/assets/page.css', 'text/css; charset=utf-8'],
  ])('serve %s as %s, never cached and never sniffed', async (path, type) => {
    const { status, headers } = await fetch(url + path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
  });

  it.each(['/workspace/state', '/assets/other.js', '/favicon.ico'])('leave %s to others', async (path) => {
    expect((await fetch(url + path)).status).toBe(404);
  });

  it('leave a POST to others', async () => {
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  });

  it('hold no inline script or style and name no other server to load from', async () => {
    const { html, css } = await loadPageAssets();
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
    expect(html + css).not.toMatch(/(?:src|href)="https?:|url\(\s*["']?https?:|@import/);
  });
});
