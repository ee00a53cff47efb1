export type { DocumentRecord } from '../storage/documents/index.ts';
export { createKnowledge, type Knowledge } from './knowledge.ts';
export { createParseFile } from './parse/parse-file.ts';
export { createFindReaders } from './readers.ts';
