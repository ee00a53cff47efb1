import type { ProposedCall, ToolSnapshot } from '../../gate/types.ts';
import { splitName } from '../../lib/readable-name.ts';
import { STEP } from '../texts.ts';

/** What tools do, by the first word of their names. */
const READS = new Set(['get', 'list', 'read', 'fetch', 'show', 'view', 'describe', 'load', 'retrieve']);
const SEARCHES = new Set(['search', 'find', 'query', 'lookup', 'grep']);
/** What people count, of what tools read one by one. */
const COUNTED = new Set([
  'article',
  'comment',
  'contact',
  'document',
  'email',
  'event',
  'file',
  'image',
  'invoice',
  'issue',
  'message',
  'note',
  'order',
  'page',
  'record',
  'report',
  'task',
  'thread',
  'ticket',
]);
const CHECKS = new Set(['check', 'verify', 'validate', 'test']);

/** Servers that people call theirs, by the names that operators give them. */
const OWN = new Set([
  'calendar',
  'mail',
  'inbox',
  'files',
  'notes',
  'contacts',
  'tasks',
  'drive',
  'documents',
]);

/** Whether a tool only reads, by its trusted server's word or its name; for words, never for what may run. */
export function isReadingTool({ name, readOnly }: Pick<ToolSnapshot, 'name' | 'readOnly'>): boolean {
  const verb = firstWord(name);
  return readOnly === true || READS.has(verb) || SEARCHES.has(verb) || CHECKS.has(verb);
}

/** What a tool reads one of, such as `file` of `read_text_file`; null where its name doesn't say so. */
export function findReadNoun({ name, graph }: Pick<ToolSnapshot, 'name' | 'graph'>): string | null {
  const last = splitName(name).at(-1)?.toLowerCase() ?? '';
  if (!READS.has(firstWord(name)) || !COUNTED.has(last)) return null;
  // In the thread of a mail, people call it that.
  return graph === 'inbox' && last === 'message' ? 'mail' : last;
}

function firstWord(name: string): string {
  return splitName(name)[0]?.toLowerCase() ?? '';
}

/**
 * What a call does, in a few words such as "reading your calendar": by the names of its tool and server, and by the
 * tool's title where the name begins with no verb that's known.
 */
export function describeStep({ tool, modelName }: Pick<ProposedCall, 'tool' | 'modelName'>): string {
  if (tool === null) return modelName;
  const verb = firstWord(tool.name);
  const name = tool.server.replace(/[-_]+/g, ' ');
  const where = OWN.has(name.toLowerCase()) ? STEP.yours(name) : name;
  if (where === '') return tool.title;
  if (READS.has(verb)) return STEP.reading(where);
  if (SEARCHES.has(verb)) return STEP.searching(where);
  if (CHECKS.has(verb)) return STEP.checking(where);
  return STEP.other(tool.title, where);
}
