import { describe, expect, it } from 'vitest';
import { safeUrl } from '../../src/page/blocks/block-kit.ts';

describe('addresses in messages', () => {
  it.each(['https://example.com/a?b=c', 'http://localhost:3000/', 'mailto:ana@example.com'])(
    'may be %s',
    (url) => {
      expect(safeUrl(url)).toBe(url);
    },
  );

  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '/relative', '', 7])(
    'may not be %s',
    (url) => {
      expect(safeUrl(url)).toBeNull();
    },
  );
});
