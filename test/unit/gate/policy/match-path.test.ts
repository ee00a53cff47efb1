import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchFolder, readPath } from '../../../../src/gate/policy/matching/match-path.ts';

describe('path_under', () => {
  it.each([
    ['/srv/shared', '/srv/shared/a.md', 'met'],
    ['/srv/shared', '/srv/shared', 'met'],
    ['/srv/shared/', '/srv//shared/./x/', 'met'],
    ['/srv/shared', '/srv/shared/x/../a.md', 'met'],
    ['/srv/shared', '/srv/shared/../secret', 'not_met'],
    ['/srv/shared', '/srv/shared/../../../../etc/passwd', 'not_met'],
    ['/srv/shared', '/srv/sharedx', 'not_met'],
    ['/srv/shared', '/srv', 'not_met'],
    ['/', '/anything', 'met'],
    ['/srv/shared', '/srv/Shared/a', 'unclear'],
    ['/srv/shared', '/srv/shared\u0000/../../etc/passwd', 'unclear'],
    ['/srv/shared', '/srv/shared/a\u202e.md', 'unclear'],
    ['/srv/shared', '/srv/shared/%2e%2e/secret', 'unclear'],
    ['/srv/shared', '/srv/shared/%252e%252e/secret', 'unclear'],
    ['/srv/shared', '/srv/shared/..%2fsecret', 'unclear'],
    ['/srv/shared', '/srv/shared/..\\..\\etc', 'unclear'],
    ['/srv/shared', '/srv/shared/.. /x', 'unclear'],
    ['/srv/shared', '/srv/shared/．．/x', 'unclear'],
    ['/srv/shared', '/srv/shared/.．/x', 'unclear'],
    ['/srv/shared', '/srv/shared/‥/x', 'unclear'],
    ['/srv/shared', '/srv/shared/․․/x', 'unclear'],
    ['/srv/shared', '/srv/shared/a／．．／．．/x', 'unclear'],
    ['/srv/shared', '/srv/shared/..＼..＼x', 'unclear'],
    ['/srv/shared', '/srv/shared/％２ｅ％２ｅ/x', 'unclear'],
    ['/srv/shared', '/srv/shared/%u002e%u002e/x', 'unclear'],
    ['/srv/shared', '/srv/shared/..;/x', 'unclear'],
    ['/srv/shared', '/srv/shared/..;a=b/x', 'unclear'],
    ['/srv/shared', '/srv/shared/‥；/x', 'unclear'],
    ['/srv/shared', '/srv/shared;a/x', 'unclear'],
    ['/srv/shared', '/srv/shared/a;b.md', 'met'],
    ['/srv/shared', '/srv/shared/カﾀｶﾅ（１）.md', 'met'],
    ['/srv/shared', '/srv/shared/cafe\u0301.md', 'met'],
    ['/srv/shared', '/srv/shared/.../x', 'unclear'],
    ['/srv/shared', '/srv/shared/$HOME', 'unclear'],
    ['/srv/shared', '/srv/shared/`id`', 'unclear'],
    ['/srv/shared', '/srv/shared/{a,../../etc}', 'unclear'],
    ['/srv/shared', '~/shared', 'unclear'],
    ['/srv/shared', '//srv/shared/a', 'unclear'],
    ['/srv/shared', 'file:///srv/shared/a', 'unclear'],
    ['shared', 'file:shared/a', 'unclear'],
    ['/srv/shared', 'a.md', 'unclear'],
    ['/srv/shared', '', 'unclear'],
    ['/srv/shared', 'C:\\srv\\shared\\a', 'unclear'],
    ['/srv/ｓhared', '/srv/shared/a', 'unclear'],
    ['docs', 'docs/a.md', 'met'],
    ['docs', './docs/sub/../a.md', 'met'],
    ['docs', 'docs/../secret', 'not_met'],
    ['docs', '../docs/a.md', 'unclear'],
    ['docs', '/docs/a.md', 'unclear'],
    ['docs', 'c:docs', 'unclear'],
    ['C:\\data', 'C:\\data\\a.txt', 'met'],
    ['C:\\data', 'c:/data/a.txt', 'met'],
    ['C:\\data', 'C:\\DATA\\a.txt', 'unclear'],
    ['C:\\data', 'D:\\data\\a.txt', 'not_met'],
    ['C:\\data', 'C:\\data\\..\\windows', 'not_met'],
    ['C:\\data', 'C:data\\a.txt', 'unclear'],
    ['C:\\data', '\\data\\a.txt', 'unclear'],
    ['C:\\data', '\\\\server\\data\\a.txt', 'unclear'],
    ['C:\\data', '\\\\?\\C:\\data\\a.txt', 'unclear'],
    ['C:\\data', 'C:\\data\\a.txt:hidden', 'unclear'],
    ['C:\\data', 'C:\\data.\\a.txt', 'unclear'],
    ['C:\\data', 'C:\\PROGRA~1', 'unclear'],
  ])('%s finds %j %s', (folder, value, truth) => {
    expect(matchFolder([folder], value)).toBe(truth);
  });

  it.each([5, null, true, ['/srv/shared/a'], { path: '/srv/shared/a' }])('finds %j unclear', (value) => {
    expect(matchFolder(['/srv/shared'], value)).toBe('unclear');
  });

  it('of several folders holds for any', () => {
    expect(matchFolder(['/a', '/b'], '/b/x')).toBe('met');
    expect(matchFolder(['/a', '/b'], '/c/x')).toBe('not_met');
    expect(matchFolder(['/a', '/b'], '/A/x')).toBe('unclear');
  });

  it('holds for 4 kB of going up and down as for where it ends', () => {
    expect(matchFolder(['/srv/shared'], `/srv/shared${'/a/..'.repeat(800)}/x`)).toBe('met');
    expect(matchFolder(['/srv/shared'], `/srv/shared${'/a/..'.repeat(800)}/../../etc/passwd`)).toBe(
      'not_met',
    );
  });
});

const segment = fc.constantFrom('..', '.', '', 'srv', 'shared', 'etc', 'a');
const segments = fc.array(segment, { maxLength: 12 });

describe('property: path_under', () => {
  it('is never met by a path that resolves outside, and met by those inside', () => {
    fc.assert(
      fc.property(segments, (parts) => {
        const value = `/srv/${parts.join('/')}`;
        const inside = posix.relative('/srv/shared', posix.resolve(value));
        const isInside = inside === '' || !inside.startsWith('..');
        expect(matchFolder(['/srv/shared'], value)).toBe(isInside ? 'met' : 'not_met');
      }),
      { numRuns: 1_000 },
    );
  });

  it('resolves as Windows does', () => {
    fc.assert(
      fc.property(segments, fc.array(fc.constantFrom('/', '\\'), { minLength: 12 }), (parts, separators) => {
        const value = `C:\\srv${parts.map((part, index) => `${separators[index] ?? '/'}${part}`).join('')}`;
        const inside = win32.relative('C:\\srv\\shared', win32.resolve(value));
        const isInside = inside === '' || !inside.startsWith('..');
        expect(matchFolder(['C:\\srv\\shared'], value)).toBe(isInside ? 'met' : 'not_met');
      }),
      { numRuns: 1_000 },
    );
  });

  it('is met by nothing that any system could read as a way out, whatever the text', () => {
    const hostile = fc.constantFrom(
      '..',
      '%2e%2e',
      '\\',
      '/',
      '..\\',
      '\u0000',
      '~',
      '.. ',
      'a',
      'Ａ',
      '\u202e',
      'C:',
      ':',
      ';',
      '．．',
      '‥',
      '／',
      '％２ｅ',
    );
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 10 }), (pieces) => {
        const value = `/srv/shared/${pieces.join('')}`;
        if (matchFolder(['/srv/shared'], value) !== 'met') return;
        for (const path of [
          posix.normalize(value),
          win32.normalize(value).replaceAll('\\', '/'),
          decodeURIComponent(value),
          value.normalize('NFKC'),
          value.normalize('NFKC').replace(/;[^/]*/g, ''),
        ]) {
          expect(posix.normalize(path).startsWith('/srv/shared')).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads a path that it has resolved as it stands', () => {
    fc.assert(
      fc.property(segments, (parts) => {
        const path = readPath(`/${parts.filter((part) => part !== '').join('/')}`, 'posix');
        expect(path && readPath(`/${path.names.join('/')}`, 'posix')).toEqual(path);
      }),
    );
  });
});
