import { z } from 'zod';
import { linked } from '../../texts.ts';
import { jsonParts } from '../events.ts';
import { FOUND_IN, NO_TOOL_FOR, TALK } from '../texts.ts';
import {
  type DemoCall,
  type DemoReply,
  type DemoTool,
  type EndedCall,
  isCallTo,
  type Turn,
  toolNamed,
} from '../turn.ts';
import { commonTopics } from '../wording.ts';
import type { DocumentIntent } from './intent.ts';
import { choosePassages, quotePassage, readFound } from './passages.ts';

/** The tools that only read documents. */
export const READS_DOCUMENTS: readonly string[] = ['list_documents', 'search_documents', 'read_document'];
const SHARES: readonly string[] = ['share_document', 'unshare_document'];
const MOST_PASSAGES = 3;
const MOST_LISTED = 20;

const listSchema = z.object({
  documents: z.array(z.object({ name: z.string(), title: z.string().nullable() })),
  not_searched: z.array(z.object({ name: z.string(), why: z.string() })),
});
const sourcesSchema = z.object({
  sources: z.array(z.object({ source: z.string(), place: z.string(), url: z.string().optional() })),
});

/** Whether what a call brought is said in an answer of its own, and not as the end of a change. */
export function isOfDocuments(call: EndedCall): boolean {
  return [...READS_DOCUMENTS, ...SHARES].some((name) => isCallTo(call, name));
}

/**
 * Asks for documents what is asked, then says what came of it; without the tool, that there is none.
 *
 * @param ability what else can be asked for
 * @param otherwise the reply where nothing is found, or nothing of what is asked. @default says so
 */
export function askDocuments(
  intent: DocumentIntent,
  { calls }: Turn,
  {
    tools,
    ability,
    otherwise = null,
  }: {
    readonly tools: readonly DemoTool[];
    readonly ability: string;
    readonly otherwise?: DemoReply | null;
  },
): DemoReply {
  const { name, arguments: args } = toCall(intent);
  const ended = calls.find((call) => isCallTo(call, name));
  if (ended && otherwise && !isFound(ended, intent)) return otherwise;
  if (ended) return { text: say(intent, ended, ability) };
  const tool = toolNamed(tools, name);
  if (tool === null) return { text: TALK.noTool(NO_TOOL_FOR.documents, ability) };
  return { toolCalls: [{ name: tool.name, arguments: args }] };
}

function toCall(intent: DocumentIntent): DemoCall {
  switch (intent.kind) {
    case 'search_documents': {
      const { kind, query, document } = intent;
      const only = document === null ? {} : { document };
      return { name: kind, arguments: { query, limit: MOST_PASSAGES, ...only } };
    }
    case 'read_document':
      return { name: intent.kind, arguments: { name: intent.name } };
    case 'list_documents':
      return { name: intent.kind, arguments: {} };
    case 'share_document':
      return {
        name: intent.isShared ? intent.kind : 'unshare_document',
        arguments: { name: intent.name },
      };
  }
}

function say(intent: DocumentIntent, call: EndedCall, ability: string): string {
  switch (intent.kind) {
    case 'search_documents':
      return sayFound(call, intent.query, ability);
    case 'read_document':
      return sayBeginning(call, intent.name);
    case 'list_documents':
      return sayListed(call);
    case 'share_document':
      return firstLine(call);
  }
}

/** Whether something was found that is of what is asked: of a weak match, the first passage has to be. */
function isFound({ text }: EndedCall, intent: DocumentIntent): boolean {
  const { passages, isWeak } = readFound(text);
  const [first] = passages;
  if (first === undefined || !isWeak) return first !== undefined;
  const query = intent.kind === 'search_documents' ? intent.query : '';
  return commonTopics(query, `${first.source} ${first.text}`).length > 0;
}

function sayFound({ text }: EndedCall, query: string, ability: string): string {
  const { passages, isWeak, note } = readFound(text);
  if (passages.length === 0) return FOUND_IN.nothing(note, ability);
  const shown = choosePassages(passages, query);
  return [
    isWeak ? FOUND_IN.weak : FOUND_IN.documents,
    ...shown.map(({ text: passage }, at) => FOUND_IN.quote(quotePassage(passage, query), at + 1)),
    ...(note === '' ? [] : ['', note]),
    ...shown.flatMap(({ source, link }, at) => ['', FOUND_IN.source(at + 1, linked(source, link))]),
  ].join('\n');
}

/** What it's about is for a model to say: it's quoted from its beginning. */
function sayBeginning({ text }: EndedCall, name: string): string {
  const [, quoted = ''] = /\n\n((?:>.*(?:\n|$))+)/.exec(text) ?? [];
  const [first] = jsonParts(text).flatMap((value) => sourcesSchema.safeParse(value).data?.sources ?? []);
  const source = first ? linked(`${first.source}, ${first.place}`, first.url) : linked(name);
  const begins = quotePassage(quoted.replace(/^> ?/gm, ''), '');
  return [
    FOUND_IN.begins,
    FOUND_IN.quote(begins, 1),
    '',
    FOUND_IN.askOfIt,
    '',
    FOUND_IN.source(1, source),
  ].join('\n');
}

function sayListed(call: EndedCall): string {
  const [found] = jsonParts(call.text).flatMap((value) => listSchema.safeParse(value).data ?? []);
  const all = [
    ...(found?.documents ?? []).map(({ name, title }) => FOUND_IN.listed(name, title)),
    ...(found?.not_searched ?? []).map(({ name, why }) => FOUND_IN.unread(name, why)),
  ];
  const more = all.length - MOST_LISTED;
  return [
    firstLine(call),
    ...all.slice(0, MOST_LISTED),
    ...(more > 0 ? [FOUND_IN.more(more)] : []),
    ...(found?.documents.length === 0 ? [] : ['', FOUND_IN.askIt]),
  ].join('\n');
}

function firstLine({ text }: EndedCall): string {
  return text.split('\n')[0] ?? '';
}
