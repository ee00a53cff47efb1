import {
  type ElicitRequestParams,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { CallInput, ElicitationAnswer, Need } from '../../gate/types.ts';
import { isTooDeep, type JsonObject } from '../../lib/json.ts';
import { isSafeToOpen } from '../../lib/net/safe-url.ts';
import { listsTooMuch } from '../arguments/dialects.ts';
import { QUESTION_TOO_LARGE } from '../texts/calls.ts';

export type FormNeed = Extract<Need, { kind: 'form_elicitation' }>;

const DECLINED: ElicitResult = { action: 'decline' };

/** Form answers that the protocol allows: flat, without objects. */
const formContent = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/**
 * Asks a person what a server wants to know while a call runs. A page to open is asked for as a form without
 * fields: accepting means consent, as the protocol defines it. Rejects if the question is too large to
 * display, so that the server learns why it got no answer.
 */
export async function elicit(
  params: ElicitRequestParams,
  elicitationId: string,
  ask: (need: FormNeed) => Promise<ElicitationAnswer>,
): Promise<ElicitResult> {
  const need = toNeed(params, elicitationId);
  if (need === 'unsafe') return DECLINED;
  if (need === 'too_much') {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, QUESTION_TOO_LARGE);
  }
  // If nobody can be asked, the server gets a cancellation and decides how to go on.
  const answer = await ask(need).catch((): ElicitationAnswer => ({ action: 'cancel', content: null }));
  return toResult(answer);
}

/** The answer in the protocol's form. One that doesn't fit becomes a cancellation. */
export function toResult({ action, content }: ElicitationAnswer): ElicitResult {
  if (action !== 'accept' || content === null) return { action };
  const form = formContent.safeParse(content);
  return form.success ? { action, content: form.data } : { action: 'cancel' };
}

/** Longest message, in characters. */
const LONGEST_MESSAGE = 4_000;
/** Longest page address, in characters: more than browsers and servers agree on. */
const LONGEST_URL = 8_000;
/** Longest id that a server gives a page, in characters. */
const LONGEST_PAGE = 500;
/** Largest form, as JSON, in characters. */
const LONGEST_FORM = 64_000;

/** The form put to a person; or `unsafe` if nobody should open the page, or that there's too much of it. */
export function toNeed(params: ElicitRequestParams, elicitationId: string): FormNeed | 'unsafe' | 'too_much' {
  const message = shortened(params.message);
  if (params.mode !== 'url') {
    if (isTooDeep(params.requestedSchema)) return 'too_much';
    if (JSON.stringify(params.requestedSchema).length > LONGEST_FORM) return 'too_much';
    const requestedSchema = z.record(z.string(), z.json()).parse(params.requestedSchema);
    if (listsTooMuch(requestedSchema)) return 'too_much';
    return { kind: 'form_elicitation', elicitationId, message, requestedSchema };
  }
  const { url } = params;
  if (!isSafeToOpen(url)) return 'unsafe';
  const page = pageName(params.elicitationId);
  if (url.length > LONGEST_URL) return 'too_much';
  const requestedSchema: JsonObject = { type: 'object', properties: {} };
  const named = page === null ? {} : { page };
  return { kind: 'form_elicitation', elicitationId, message, requestedSchema, url, ...named };
}

/** The same question, asked over somebody's own sign-in. */
export function asOwn<T extends Need>(need: T): T {
  return need.kind === 'form_elicitation' ? { ...need, isOwn: true } : need;
}

/** The same of what a server asks before it begins, with all that it asks afterwards. */
export function blockedAsOwn<T extends { readonly need: Need; readonly input?: CallInput }>(blocked: T): T {
  const { need, input } = blocked;
  const asked = input?.asked.map((one) => ({ ...one, need: asOwn(one.need) }));
  return { ...blocked, need: asOwn(need), ...(input && asked && { input: { ...input, asked } }) };
}

/** The page that somebody has to open before the server accepts a call; or why it isn't displayed. */
export function toPageNeed(elicitation: {
  readonly elicitationId: string;
  readonly url: string;
  readonly message: string;
}): Need | 'unsafe' | 'too_much' {
  const { elicitationId, url } = elicitation;
  if (!isSafeToOpen(url)) return 'unsafe';
  if (url.length > LONGEST_URL || pageName(elicitationId) === null) return 'too_much';
  return { kind: 'oauth_url', elicitationId, url, message: shortened(elicitation.message) };
}

/** A server's id for a page, as stored and looked up; null if missing or too long. */
export function pageName(elicitationId: string | undefined): string | null {
  return elicitationId === undefined || elicitationId.length > LONGEST_PAGE ? null : elicitationId;
}

/** The message, cut to what a card and the record can hold. */
function shortened(message: string): string {
  return message.slice(0, LONGEST_MESSAGE);
}
