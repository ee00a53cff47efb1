import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../helpers/sources.ts';

it('each picture of the documentation stands in a page, and what a page shows is there', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const text = ['README.md', ...pages.map((name) => join('docs', name))].map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const shown = text.flatMap((page) => page.match(/(?<=images\/)[\w/-]+\.(?:png|svg)/g) ?? []);
  const kept = readdirSync(join(ROOT, 'docs/images'), { recursive: true, encoding: 'utf8' });
  expect([...new Set(shown)].sort()).toEqual(kept.filter((name) => /\.(?:png|svg)$/.test(name)).sort());
});
