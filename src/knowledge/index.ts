export type { DocumentRecord } from '../storage/documents/index.ts';
export { createEmbeddings } from './embeddings/client.ts';
export { listFolder } from './folder.ts';
export { createKnowledge, type DocumentModels, type Knowledge } from './knowledge.ts';
export type { LearningTurn } from './learn-content.ts';
export type { DocumentLimits } from './limits.ts';
export { createParseFile } from './parse/parse-file.ts';
export { createFindReaders } from './readers.ts';
