// Writes the page's bundle into dist/, or into the folder that it is given, so that users of the built package need
// neither esbuild nor React.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundlePage } from '../src/server/bundle-page.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '../dist/page');
const { js, css } = await bundlePage();
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'page.js'), js);
await writeFile(join(folder, 'page.css'), css);
