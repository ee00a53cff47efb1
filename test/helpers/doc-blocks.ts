import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

/** A block of code of a page of the documentation. */
interface DocBlock {
  /** The last heading before it. */
  readonly heading: string;
  /** Empty where the page names none. */
  readonly language: string;
  readonly text: string;
}

/** All blocks of code of a page, in order; `page` is its path in the repository. */
export function docBlocks(page: string): readonly DocBlock[] {
  const blocks: DocBlock[] = [];
  let heading = '';
  const found = /^#+ (?<heading>[^\n]*)$|^(?<indent> *)```(?<language>\w*)\n(?<text>.*?)^ *```$/gms;
  for (const { groups } of readFileSync(join(ROOT, page), 'utf8').matchAll(found)) {
    if (groups?.heading !== undefined) heading = groups.heading;
    const { language, text, indent = '' } = groups ?? {};
    if (language === undefined || text === undefined) continue;
    blocks.push({ heading, language, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') });
  }
  return blocks;
}
