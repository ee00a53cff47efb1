/** The entry of a bundle of the sources as they are now; null where none can be made. */
export function freshBundle(root: string, node: string): string | null;
