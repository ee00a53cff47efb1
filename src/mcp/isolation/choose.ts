import type { Protection, Sandbox } from '../config/sandbox.ts';

/** Strongest first. */
const PROTECTIONS: readonly Protection[] = ['namespace', 'user', 'parent', 'none'];

/**
 * The protections that would do for a server, strongest first; none if its entry contradicts itself or
 * `strict`, which takes only those that hide our files too. See docs/decisions/0045.
 */
export function acceptableProtections(
  { protection, network, folders }: Sandbox,
  { strict }: { readonly strict: boolean },
): readonly Protection[] {
  const named = protection === 'auto' ? PROTECTIONS : [protection];
  if (!network || folders !== undefined) return named.filter((kind) => kind === 'namespace');
  return strict ? named.filter((kind) => kind === 'namespace' || kind === 'user') : named;
}
