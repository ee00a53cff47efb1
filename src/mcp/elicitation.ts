import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { ElicitationAnswer, Need } from '../gate/types.ts';
import type { JsonObject } from '../json.ts';

export type FormNeed = Extract<Need, { kind: 'form_elicitation' }>;

const DECLINED: ElicitResult = { action: 'decline' };

/** What the protocol lets a form answer with: flat, and no objects. */
const formContent = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/**
 * Asks a person for what a server wants to know while a call runs. A page to open is asked for as a form
 * without fields: to accept is to consent, as the protocol has it.
 */
export async function elicit(
  params: ElicitRequestParams,
  elicitationId: string,
  ask: (need: FormNeed) => Promise<ElicitationAnswer>,
): Promise<ElicitResult> {
  const need = toNeed(params, elicitationId);
  if (need === null) return DECLINED;
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

/** What a person is asked; null for a page that nobody should open. */
export function toNeed(params: ElicitRequestParams, elicitationId: string): FormNeed | null {
  // Longer ones fit no card, and stand in the record until somebody answers.
  const message = params.message.slice(0, LONGEST_MESSAGE);
  if (params.mode !== 'url') {
    const requestedSchema = z.record(z.string(), z.json()).parse(params.requestedSchema);
    return { kind: 'form_elicitation', elicitationId, message, requestedSchema };
  }
  if (!isSafeToOpen(params.url)) return null;
  const requestedSchema: JsonObject = { type: 'object', properties: {} };
  return { kind: 'form_elicitation', elicitationId, message, requestedSchema, url: params.url };
}

/** https, or http on this machine: nothing that can be read or changed on its way, and no `javascript:`. */
export function isSafeToOpen(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return true;
  return protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
