/** Milliseconds since the epoch. */
export type Clock = () => number;

/** A new opaque id: 128 random bits, safe in URLs. */
export type Ids = () => string;
