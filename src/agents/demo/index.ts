export { DemoChatModel } from './model.ts';
export { demoExamples } from './reply.ts';
