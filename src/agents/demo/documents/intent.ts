import { topics } from '../wording.ts';

/** What is asked of documents. */
export type DocumentIntent =
  | {
      readonly kind: 'search_documents';
      readonly query: string;
      /** The file that the question names, or came with; null: any. */
      readonly document: string | null;
    }
  /** What a document is about, without a question: it's read from its beginning. */
  | { readonly kind: 'read_document'; readonly name: string }
  | { readonly kind: 'list_documents' }
  | { readonly kind: 'share_document'; readonly name: string; readonly isShared: boolean };

/** Words that a request may be about documents by. */
export const DOCUMENTS =
  /\b(?:documents?|policy|policies|handbook|budget|sales|contracts?|vendors?|holidays?|onboarding|(?<!\d ?)minutes)\b/i;
export const IN_DOCUMENTS = /\s*\b(?:in|from|out of|of) (?:the |our |my )?documents?\b/i;
const FINDS =
  /^(?:find(?: out)?|take|get|look (?:up|for|in|through)|search(?: for| in| through)?|read)(?:\s+|$)/i;
const TELLS =
  /^(?:summari[sz]e|sum up|tell me|know|explain|describe|show me|give me(?: an?| the)?(?: short| brief)?(?: summary| overview)?)\b(?:\s+(?:of|about|what|how|if|whether))?\s*/i;
const ASKS =
  /\?\s*$|^(?:who|what|when|where|why|how|which|whose|is|are|was|were|does|do|did|can|should|must|find|look (?:up|for))\b/i;
/** Questions to whoever answers, and about it. */
const ABOUT_BOT =
  /^(?:who|what|how) (?:are|is|were) (?:you\b|your\b|this\W*$)|\b(?:can|could|do|does|will|would|did) (?:you|this) (?:do|help|work|understand|speak|mean|think|feel|like)\b|^(?:are you|help|hello|hi|hey)\b|\b(?:countersign|demo model|chat ?bot)\b/i;
/** What a document may be called that was dropped beside, which this conversation doesn't know of. */
const REFERS =
  /\b(?:it|this|that|they)\b.*\b(?:say|about)\b|\b(?:in|about) (?:it|this|that|them)\b|^(?:summari[sz]e|sum up)(?: (?:it|this|that|them))?\W*$/i;
const LIST =
  /^(?:list|show)(?: me)?(?: all)?(?: (?:the|my|our|your))? documents?\b|^(?:what|which) documents(?: (?:do|can) (?:you|we|i)\b| (?:are|is) there\b| exist\b|\W*$)/i;
const WHERE = String.raw`(?:\s+(?:with|in|to)\s+(?:this|the|our)\s+(?:channel|thread|conversation)|\s+(?:with\s+(?:everybody|everyone|all)\s+)?here)`;
const SHARE = new RegExp(String.raw`^share\s+(.+?)(${WHERE})?[.!]?$`, 'i');
const STOP_SHARING = new RegExp(String.raw`^(?:stop sharing|unshare)\s+(.+?)${WHERE}?[.!]?$`, 'i');

const KINDS = '(?:md|markdown|txt|html?|csv|pdf|docx|xlsx|pptx)';
const QUOTED_FILE = new RegExp(String.raw`["“]([^"“”\n]+\.${KINDS})["”]`, 'i');
/** Names have spaces, so words before one may be taken for a part of it. */
const FILE = new RegExp(
  String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M} ()&+,'’_-]|\.(?=[\p{L}\p{N}_-])){0,120}?\.${KINDS}(?![\p{L}\p{N}])`,
  'iu',
);
const BEFORE_FILE =
  /^.*\b(?:what|which|who|when|where|why|how|is|are|was|does|do|did|says?|in|on|of|from|for|about|with|to|and|or|the|my|our|your|this|that|files?|documents?|find|search|look|read|open|show|me|tell|list|summari[sz]e|summary|up|out|through|explain|describe|please|compare)\s+/is;
/** What documents themselves are called, which says nothing of what they are about. */
const ANY_FILE =
  /\b(?:(?:the|this|that|these|those|my|our|your|attached)\s+)*(?:documents?|files?|attachments?)\b/gi;

/** The longest query that the tool takes, in characters. */
const QUERY_LENGTH = 500;

/** As a message is told of the files that came with it, in `slack/texts/documents.ts`. */
const CAME_WITH =
  /(?:\n\n)?\[With this message came(?:: (.+)\. search_documents and read_document|, and can't be read:)[^\n]*\]/g;

/** A message without the note of the files that came with it, and the names of those that can be read, as it lists them. */
export function withoutFiles(message: string): { readonly words: string; readonly came: string | null } {
  const [came = null] = [...message.matchAll(CAME_WITH)].flatMap(([, names]) => names ?? []);
  return { words: message.replace(CAME_WITH, ''), came };
}

/** What a text asks of documents that it names, or that came with it; null where it's about none. */
export function parseNamedDocuments(text: string, came: string | null): DocumentIntent | null {
  const sharing = parseSharing(text);
  if (sharing) return sharing;
  if (LIST.test(text)) return { kind: 'list_documents' };
  // Whether “a.md, b.md” are one is not to be told, and that several came is likelier.
  const named = findFile(text) ?? (came?.includes(', ') ? null : came);
  const isNamed =
    named !== null || came !== null || (/\bdocuments?\b/i.test(text) && !/\bcalendar\b/i.test(text));
  if (isNamed && isAsked(text)) return toIntent(text, named);
  return came === null ? null : readOrList(named);
}

/** The same of a text that only has a word that documents are often asked by. */
export function parseDocumentWords(text: string): DocumentIntent | null {
  return DOCUMENTS.test(text) && isAsked(text) ? toIntent(text, null) : null;
}

/**
 * A question that documents may answer, whatever it's about; null for what is none, or is asked of whoever answers. Where it
 * only says “it”, which documents there are.
 */
export function parseAnyQuestion(text: string): DocumentIntent | null {
  if (ABOUT_BOT.test(text)) return null;
  const query = subject(text);
  if (topics(query).size === 0) return REFERS.test(text) ? { kind: 'list_documents' } : null;
  return ASKS.test(text) ? { kind: 'search_documents', query, document: null } : null;
}

function parseSharing(text: string): DocumentIntent | null {
  const [, ended] = STOP_SHARING.exec(text) ?? [];
  if (ended !== undefined) return { kind: 'share_document', name: toName(ended), isShared: false };
  const [, given, where] = SHARE.exec(text) ?? [];
  if (given === undefined || (where === undefined && findFile(given) === null)) return null;
  return { kind: 'share_document', name: toName(given), isShared: true };
}

/** What somebody calls a document, without the words around its name. */
export function toName(given: string): string {
  return given.replace(/^(?:(?:the|my|our|file|document)\s+)+/i, '').replace(/^["“'`](.*)["”'`]$/, '$1');
}

function toIntent(text: string, name: string | null): DocumentIntent {
  const words = subject((name === null ? text : text.replace(name, ' ')).replace(/["“”]/g, ' '));
  const query = subject(words.replace(ANY_FILE, ' '));
  if (topics(query).size > 0) return { kind: 'search_documents', query, document: name };
  return readOrList(name);
}

function readOrList(name: string | null): DocumentIntent {
  return name === null ? { kind: 'list_documents' } : { kind: 'read_document', name };
}

/** The name of a file in a text. */
export function findFile(text: string): string | null {
  const [, quoted] = QUOTED_FILE.exec(text) ?? [];
  return quoted ?? FILE.exec(text)?.[0].replace(BEFORE_FILE, '') ?? null;
}

function isAsked(text: string): boolean {
  return isSearch(text) || TELLS.test(text) || ASKS.test(text);
}

/** Whether a task is to find single figures or passages, and not to say what there is. */
export function isSearch(task: string): boolean {
  return FINDS.test(task);
}

/** What is to be found in documents: "Find the budget in the documents." is about the budget. */
export function subject(task: string): string {
  return task
    .trim()
    .replace(FINDS, '')
    .replace(TELLS, '')
    .replace(/^what(?:'s|’s| is| are| does| do)?\s+(?:(?:in|written in|on)\s+)?/i, '')
    .replace(IN_DOCUMENTS, '')
    .replace(/^(?:the\s+)?documents?\s+(?:(?:says?|tells?)\s+(?:about|on)|for)\s+/i, '')
    .replace(/\b(?:says?|tells?)\b/i, '')
    .replace(/[\s.?!]+$/, '')
    .replace(/\s+/g, ' ')
    .replace(/^(?:about|on|in|of|for|from)\b\s*|\s+(?:about|on|in|of|for|from)$/gi, '')
    .trim()
    .slice(0, QUERY_LENGTH)
    .toWellFormed();
}
