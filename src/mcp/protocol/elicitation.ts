import {
  type ElicitRequestParams,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { ElicitationAnswer, Need } from '../../gate/types.ts';
import { isTooDeep, type JsonObject } from '../../lib/json.ts';
import { isSafeToOpen } from '../../lib/net/safe-url.ts';

export type FormNeed = Extract<Need, { kind: 'form_elicitation' }>;

const DECLINED: ElicitResult = { action: 'decline' };

/** What the protocol lets a form answer with: flat, and no objects. */
const formContent = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/**
 * Asks a person for what a server wants to know while a call runs. A page to open is asked for as a form
 * without fields: to accept is to consent, as the protocol has it. Rejects where that is more than can be shown, so
 * that the server can say why it got no answer.
 */
export async function elicit(
  params: ElicitRequestParams,
  elicitationId: string,
  ask: (need: FormNeed) => Promise<ElicitationAnswer>,
): Promise<ElicitResult> {
  const need = toNeed(params, elicitationId);
  if (need === 'unsafe') return DECLINED;
  if (need === 'too_much') {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `This ${TOO_MUCH}; nobody was asked.`);
  }
  // Where nobody can be asked, the server is told so; it decides what becomes of the call.
  const answer = await ask(need).catch((): ElicitationAnswer => ({ action: 'cancel', content: null }));
  return toResult(answer);
}

/** What the server is told; an answer that does not fit the protocol is a cancellation. */
export function toResult({ action, content }: ElicitationAnswer): ElicitResult {
  if (action !== 'accept' || content === null) return { action };
  const form = formContent.safeParse(content);
  return form.success ? { action, content: form.data } : { action: 'cancel' };
}

/** In characters. */
const LONGEST_MESSAGE = 4_000;
/** Of a page, in characters: more than any that browsers and servers agree on. */
const LONGEST_URL = 8_000;
/** Of a server's own name for a page, in characters. */
const LONGEST_PAGE = 500;
/** Of a form as JSON, in characters. */
const LONGEST_FORM = 64_000;

/** What is wrong with a question that is larger than people are shown, and than is kept until they answer. */
export const TOO_MUCH = 'asks for more than can be shown';

/** What a person is asked; else whether nobody should open the page, or there is too much of it. */
export function toNeed(params: ElicitRequestParams, elicitationId: string): FormNeed | 'unsafe' | 'too_much' {
  const message = shortened(params.message);
  if (params.mode !== 'url') {
    if (isTooDeep(params.requestedSchema)) return 'too_much';
    if (JSON.stringify(params.requestedSchema).length > LONGEST_FORM) return 'too_much';
    const requestedSchema = z.record(z.string(), z.json()).parse(params.requestedSchema);
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

/** What a call waits with that its server refuses until somebody has opened a page; else why nobody is shown it. */
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

/** A server's own name for a page as it is kept and looked up; null for one that is missing or too long. */
export function pageName(elicitationId: string | undefined): string | null {
  return elicitationId === undefined || elicitationId.length > LONGEST_PAGE ? null : elicitationId;
}

/** Longer texts fit no card, and stand in the record until somebody answers. */
function shortened(message: string): string {
  return message.slice(0, LONGEST_MESSAGE);
}
