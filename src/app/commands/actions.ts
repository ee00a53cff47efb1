/**
 * What the commands do, loaded as one: each module that is loaded by itself would split what a start shares with it into
 * more files of the bundle.
 */

export { runDoctor } from '../doctor/doctor.ts';
export { exportAudit, printAuditKeys, printNewAuditKey, verifyAudit } from './audit.ts';
export { evaluateDocuments } from './documents-eval.ts';
export { runForget } from './forget-person.ts';
export { runInit } from './init/init.ts';
export { createKey, listKeys, revokeKey } from './keys.ts';
export { serveMcp } from './mcp.ts';
export { verifyNotebook } from './notebook.ts';
export { explainPolicy, testPolicy } from './policy.ts';
export { printReplay } from './policy-replay.ts';
export { reviewServers } from './servers-review.ts';
