import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from '../helpers/sources.ts';

const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const onTheCard = rowsBelow('## Fifteen attacks on a card');
const rows = [...rowsBelow('## What was tried'), ...onTheCard];

/** The rows of the table in a section. */
function rowsBelow(title: string): string[][] {
  const [, below = ''] = page.split(`\n${title}\n`);
  const [section = ''] = below.split('\n## ');
  return section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));
}

/** The tests that a row names: a file below `test/`, and a title in it. */
function testsOf(cell: string): { file: string; title: string }[] {
  return cell.split('<br>').map((one) => {
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(one.trim()) ?? [];
    return { file, title };
  });
}

const titled = z.object({ title: z.string() });

function hasTest({ file, title }: { file: string; title: string }): boolean {
  const path = join(ROOT, 'test', file);
  if (file === '' || !existsSync(path)) return false;
  const source = readFileSync(path, 'utf8');
  if (file.endsWith('.yaml')) return titled.parse(parse(source)).title === title;
  const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`\\(\\s*(['"\`])${quoted}\\1,`).test(source);
}

describe('the table of what was tried', () => {
  it('has rows of an attack, what happens, and tests', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
  });

  it('has the fifteen attacks on a card', () => {
    expect(onTheCard).toHaveLength(15);
  });

  it('names tests that there are, by their titles', () => {
    const named = rows.flatMap(([, , cell = '']) => testsOf(cell));
    expect(named.length).toBeGreaterThan(rows.length);
    expect(named.filter((test) => !hasTest(test))).toEqual([]);
  });

  it('would notice a title that is gone', () => {
    expect(hasTest({ file: 'unit/security-page.test.ts', title: 'would notice a title that is gone' })).toBe(
      true,
    );
    expect(hasTest({ file: 'unit/security-page.test.ts', title: 'gone' })).toBe(false);
    expect(hasTest({ file: 'unit/gone.test.ts', title: 'gone' })).toBe(false);
  });
});
