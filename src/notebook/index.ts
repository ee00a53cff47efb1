/** The notebooks' door: conversations as pages that keep what was said, decided and run, and that the audit verifies. */

export { checkPage, describeChainProblem, differsFrom, listPageFiles, readSeal } from './check.ts';
export { createNotebooks } from './notebooks.ts';
