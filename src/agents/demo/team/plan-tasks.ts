import type { Moment } from '../../../lib/text/spoken-times.ts';
import { DOCUMENTS, IN_DOCUMENTS, isSearch, subject } from '../documents/intent.ts';
import { parseDraft, parseIntent } from '../intent.ts';
import { TEAM } from '../texts.ts';
import { capitalised } from '../wording.ts';

/** The agents of a team that a request can be planned for, by the names that they have in the example configuration. */
export const AGENTS = ['documents', 'calendar', 'simulation', 'code'] as const;
type AgentName = (typeof AGENTS)[number];

/** A task as a plan has it. */
interface DemoTask {
  readonly id: string;
  readonly agent: AgentName;
  readonly task: string;
  readonly depends_on: readonly string[];
}

/** A part of a request that is for one agent. */
interface Part {
  readonly agent: AgentName;
  readonly text: string;
  /** Whether it's said to come after what stands before it. */
  readonly isThen: boolean;
}

const BEGINS =
  '(?:what|when|where|who|which|how|is|am|do|show|list|find|look|search|read|take|add|sum|compare|calculate|compute|put|book|create|schedule|set up|plan|arrange|move|cancel|delete|simulate)';
const BETWEEN = new RegExp(
  String.raw`([,;.?!]\s+(?:and\s+)?(?:then\s+)?|\s+and\s+then\s+|\s+then\s+|\s+and\s+(?=${BEGINS}\b))`,
  'i',
);
const CODE =
  /\b(?:python|javascript|(?:add|sum) (?:it|them|this|these|all)(?: all)? up|compare|calculate|compute)\b/i;
const SIMULATION = /^simulate\b/i;
const CALENDAR: readonly string[] = ['create', 'list', 'free', 'move', 'cancel'];
const CHANGES: readonly string[] = ['create', 'move', 'cancel'];
/** What was said before. */
const REFERS = /\b(?:it|them|this|that|these|those)\b/i;

/** The tasks of a request for these agents; null where a part of it is for none of them. */
export function planTasks(
  request: string,
  agents: readonly string[],
  moment: Moment,
): readonly DemoTask[] | null {
  const parts = split(request, moment);
  if (parts === null || parts.some(({ agent }) => !agents.includes(agent))) return null;
  const tasks: DemoTask[] = [];
  const subjects: string[] = [];
  const idsFor = (...names: AgentName[]) =>
    tasks.filter(({ agent }) => names.includes(agent)).map(({ id }) => id);
  const add = (agent: AgentName, task: string, needs: readonly string[]) => {
    const before = idsFor(agent).length;
    tasks.push({ id: before === 0 ? agent : `${agent}-${before + 1}`, agent, task, depends_on: needs });
  };
  for (const part of parts) {
    const { agent, text } = part;
    const about = subjects.join(' and ');
    const found = idsFor('documents', 'simulation');
    if (agent === 'documents') {
      const sought = isSearch(text) ? findSubjects(text) : [];
      subjects.push(...(sought.length > 0 ? sought : [subject(text)]));
      for (const one of sought) add(agent, TEAM.find(one), []);
      if (sought.length === 0) add(agent, `${capitalised(text)}?`, []);
    } else if (agent === 'code') {
      if (about === '') return null;
      add(agent, `${capitalised(text.replace(REFERS, about))}.`, found);
    } else if (agent === 'calendar') {
      const { task, needsBefore } = forCalendar(part, about, moment);
      const computed = idsFor('code');
      add(agent, capitalised(task), needsBefore ? (computed.length > 0 ? computed : found) : []);
    } else {
      add(agent, capitalised(text), []);
    }
  }
  return tasks.length > 0 ? tasks : null;
}

function split(request: string, moment: Moment): readonly Part[] | null {
  const pieces = request.trim().split(BETWEEN);
  const parts = pieces.flatMap((piece, index) => {
    const text = index % 2 === 0 ? piece.replace(/^(?:please|and|then)\s+/i, '').replace(/[.?!]+$/, '') : '';
    if (text.trim() === '') return [];
    const isThen = /\bthen\b/i.test(pieces[index - 1] ?? '');
    return [{ agent: findAgent(text, moment), text: text.trim(), isThen }];
  });
  const known = parts.flatMap(({ agent, ...part }) => (agent === null ? [] : [{ agent, ...part }]));
  return known.length === parts.length ? known : null;
}

function findAgent(text: string, moment: Moment): AgentName | null {
  if (CODE.test(text)) return 'code';
  if (SIMULATION.test(text)) return 'simulation';
  const isForCalendar = CALENDAR.includes(parseIntent(text, moment).kind);
  if (IN_DOCUMENTS.test(text) && !/\bcalendar\b/i.test(text)) return 'documents';
  if (isForCalendar) return 'calendar';
  return DOCUMENTS.test(text) ? 'documents' : null;
}

function findSubjects(text: string): readonly string[] {
  return subject(text)
    .split(/\s*(?:,|\band\b)\s*/i)
    .filter((one) => one !== '');
}

/** A meeting that is about what was found waits for that, and says what it is about. */
function forCalendar(
  { text, isThen }: Part,
  about: string,
  moment: Moment,
): { readonly task: string; readonly needsBefore: boolean } {
  if (about === '' || !CHANGES.includes(parseIntent(text, moment).kind))
    return { task: text, needsBefore: false };
  if (REFERS.test(text)) return { task: text.replace(REFERS, about), needsBefore: true };
  const isUntitled = parseDraft(text, moment).title === null;
  if (!isUntitled) return { task: text, needsBefore: isThen };
  return { task: text.replace(/\b(?:meeting|event|call)\b/i, TEAM.about('$&', about)), needsBefore: true };
}
