export { demoExtract } from './memory.ts';
export { DemoChatModel } from './model.ts';
export { demoExamples } from './reply.ts';
