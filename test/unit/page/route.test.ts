import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute } from '../../../src/local-workspace/page/route.ts';

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
