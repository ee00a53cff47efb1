export { openSandbox } from './sandbox.ts';
export { createCodeServer, createRunSlots } from './server.ts';
