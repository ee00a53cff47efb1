/** The door of memory; its vocabulary is in ports.ts. */

export { findMemory } from './collections.ts';
export { Memory } from './memory.ts';
