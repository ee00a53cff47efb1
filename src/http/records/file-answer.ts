import type { NotebookFile } from '../../notebook/ports.ts';
import type { HttpContext } from '../context.ts';

/** A file of a notebook, to be saved by its name. */
export function fileAnswer(c: HttpContext, { name, content }: NotebookFile): Response {
  c.header(
    'Content-Type',
    name.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'application/octet-stream',
  );
  c.header('Content-Disposition', `attachment; filename="${name}"`);
  c.header('Cache-Control', 'no-store');
  c.header('X-Content-Type-Options', 'nosniff');
  return c.body(new Uint8Array(content));
}
