import { z } from 'zod';
import { sha256Hex } from '../../lib/canonical-json.ts';
import type { HeldTools } from '../../mcp/ports.ts';

/**
 * The longest opaque key of a call or request: an overflow option holds `withdraw:` and the key in 75
 * characters.
 */
export const MAX_KEY_LENGTH = 64;

const key = z.string().regex(/^[^:]{1,64}$/);
const CALL_VALUE = /^[^:]{1,64}:[0-9a-f]{64}(:[0-9a-f]{16}|:([0-9a-f]{16})?:[0-9a-f]{16})?$/;

/**
 * A reference to a call, as buttons and forms carry it: an opaque key, and the digest of what was shown (invariant 2), with
 * that of its place if it's in a plan, and what came since it was proposed, if that was shown with it.
 */
export interface CallReference {
  readonly callKey: string;
  readonly digest: string;
  readonly place?: string;
  readonly news?: string;
}

/** The `value` of every button that decides on a call. */
export function callValue({ callKey, digest, place = '', news = '' }: CallReference): string {
  return [callKey, digest, place, news].join(':').replace(/:+$/, '');
}

/** Parses a button's `value`; null for anything that {@link callValue} didn't write. */
export function parseCallValue(value: string): CallReference | null {
  if (!CALL_VALUE.test(value)) return null;
  const [callKey = '', digest = '', place = '', news = ''] = value.split(':');
  return { callKey, digest, ...(place !== '' && { place }), ...(news !== '' && { news }) };
}

const MORE_CHOICES = [
  'view',
  'withdraw',
  'more',
  'also',
  'instead',
  'ignore',
  'remember',
  'hand_over',
  'take_back',
  'take',
  'take_over',
  'let_go',
] as const;
const moreSchema = z.enum(MORE_CHOICES);
export type MoreChoice = z.infer<typeof moreSchema>;

/** The `value` of an option of the card's ⋯ menu; too short for the digest, which the store has. */
export function moreValue(choice: MoreChoice, callKey: string): string {
  return `${choice}:${callKey}`;
}

const EXTEND = /^extend:([^:]{1,64}):(\d{1,2})$/;

/** The `value` of the option that extends the deadline; `seen` is how often that has been done already. */
export function extendValue(callKey: string, seen: number): string {
  return `extend:${callKey}:${seen}`;
}

/** Parses it; null for anything that {@link extendValue} didn't write. */
export function parseExtendValue(value: string): { readonly callKey: string; readonly seen: number } | null {
  const [, callKey, seen] = EXTEND.exec(value) ?? [];
  return callKey === undefined ? null : { callKey, seen: Number(seen) };
}

/** Parses an option's `value`; null for anything that {@link moreValue} didn't write. */
export function parseMoreValue(value: string): { choice: MoreChoice; callKey: string } | null {
  const at = value.indexOf(':');
  const choice = moreSchema.safeParse(value.slice(0, at));
  const callKey = key.safeParse(value.slice(at + 1));
  return choice.success && callKey.success && at > 0 ? { choice: choice.data, callKey: callKey.data } : null;
}

/** The `value` of Accept: the server, and a digest over the definitions shown. */
export function reviewValue({ server, tools }: HeldTools): string {
  const digest = sha256Hex(tools.map(({ hash }) => hash).join(' '));
  return callValue({ callKey: server, digest });
}
