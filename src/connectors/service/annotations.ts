// What tools say of themselves, which is believed of connectors: see docs/connectors.md.

export const READS = { readOnlyHint: true, openWorldHint: true } as const;
/** Adds something, and leaves what is there as it is. */
export const ADDS = { destructiveHint: false, idempotentHint: false, openWorldHint: true } as const;
/** Overwrites or removes something. */
export const DESTROYS = { destructiveHint: true, idempotentHint: false, openWorldHint: true } as const;
