import { randomBytes } from 'node:crypto';

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** A new opaque id: 128 random bits, safe in URLs. */
export type Ids = () => string;

export const randomId: Ids = () => randomBytes(16).toString('base64url');
