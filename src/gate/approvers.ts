import type { Actor } from './types.ts';

/**
 * Whether this person has the word on what is asked: decides the calls of a request, takes them back,
 * answers what a server asks for. The one place where that is decided. `asked` is the request; the call
 * itself where it belongs to none.
 */
export function mayDecide(asked: { readonly requester: Actor }, actor: Actor): boolean {
  return asked.requester.id === actor.id;
}
