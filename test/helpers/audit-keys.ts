import { createAuditKeys, parsePrivateKey } from '../../src/gate/audit/keys.ts';

/** The key that signs the audit of every test: in the environment of a process, and in gates that a test makes. */
export const AUDIT_SIGNING_KEY = 'MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

export const auditKeys = createAuditKeys({ privateKey: parsePrivateKey(AUDIT_SIGNING_KEY) });
