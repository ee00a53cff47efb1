import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute, routeOfPermalink } from '../../src/page/state/route.ts';

describe('the address of a message', () => {
  const here = new URL('http://127.0.0.1:3001/#U1/D1');

  it.each([
    ['http://127.0.0.1:3001/archives/C1/p1700000000000100', '1700000000.000100'],
    ['/archives/C1', null],
    ['/archives/C1/p1700000000000200?thread_ts=1700000000.000100&cid=C1', '1700000000.000100'],
  ])('%s leads to its thread or channel, for the same person', (url, detail) => {
    expect(routeOfPermalink(url, here)).toEqual({ user: 'U1', channel: 'C1', detail });
  });

  it.each(['https://example.com/archives/C1/p1700000000000100', '/archives/x', '/archives/C1/p1'])(
    '%s leads nowhere in the page',
    (url) => {
      expect(routeOfPermalink(url, here)).toBeNull();
    },
  );
});

describe('the address of a place', () => {
  it.each([
    { user: 'U1', channel: 'C1', detail: '1.5' },
    { user: 'U1', channel: 'D1', detail: null },
    { user: 'U1', channel: null, detail: null },
  ])('reads back as what was written: %o', (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  it('names nothing when it is empty', () => {
    expect(parseRoute('')).toEqual({ user: null, channel: null, detail: null });
  });
});
