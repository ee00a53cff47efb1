import { randomBytes } from 'node:crypto';

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** A new opaque id: 128 random bits, safe in URLs. */
export type Ids = () => string;

/** 128 random bits, safe in URLs. */
export const randomId: Ids = () => randomBytes(16).toString('base64url');

/** 256 random bits, safe in URLs and cookies. */
export const randomSecret: Ids = () => randomBytes(32).toString('base64url');
