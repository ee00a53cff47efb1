import type { ParseFile } from '../ports.ts';
export function createParseFile(): ParseFile {
  return async () => ({ ok: false, problem: 'broken' });
}
