/** The door of the agents; their vocabulary is in ports.ts. */

export { createAssistant } from './assistant/index.ts';
export { DemoChatModel } from './demo/model.ts';
export { demoExamples } from './demo/reply.ts';
export { createInstructionClassifier } from './models/classify-instruction.ts';
export { createModel } from './models/openai.ts';
export { createSampler } from './models/sampler.ts';
export { createGraphAgent } from './runtime/graph-agent.ts';
