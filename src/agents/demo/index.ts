export { demoAnswerBeside } from './inbox/index.ts';
export { DemoChatModel } from './model.ts';
export { demoExamples } from './reply.ts';
