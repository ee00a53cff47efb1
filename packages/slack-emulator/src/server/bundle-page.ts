import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the page from its source. Rejects when a source file doesn't compile. */
export async function bundlePage(): Promise<{ readonly js: string; readonly css: string }> {
  const folder = fileURLToPath(new URL('../page/', import.meta.url));
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [
      { in: 'main.tsx', out: 'page' },
      { in: 'styles/page.css', out: 'page' },
    ],
    outdir: folder,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  const output = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { js: output('.js'), css: output('.css') };
}
