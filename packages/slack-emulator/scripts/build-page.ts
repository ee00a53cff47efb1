// Writes the page's bundle into dist/, so that users of the built package need neither esbuild nor React.
import { mkdir, writeFile } from 'node:fs/promises';
import { bundlePage } from '../src/server/bundle-page.ts';

const folder = new URL('../dist/page/', import.meta.url);
const { js, css } = await bundlePage();
await mkdir(folder, { recursive: true });
await writeFile(new URL('page.js', folder), js);
await writeFile(new URL('page.css', folder), css);
