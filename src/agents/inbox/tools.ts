import { OWN_SERVER, type ToolSnapshot } from '../../gate/types.ts';
import type { ToolDefinition, ToolOffer } from '../../tools/ports.ts';
import type { ThreadMail } from '../ports.ts';
import { ASK_USER } from '../shared/ask-user.ts';

/** The names by which the graph has its tools. What reads the mail at the start isn't offered to the model. */
export const NAMES = {
  readMail: 'read_mail',
  send: 'send_email',
  meet: 'schedule_meeting',
  lookUp: 'check_calendar',
  ask: 'Question',
  done: 'Done',
  readAttachment: 'read_attachment',
  readConversation: 'read_conversation',
} as const;

/** The tools of the mailbox's server and of the calendar's that the graph has, with its names for them. */
const MAIL_TOOLS: Readonly<Record<string, string>> = {
  get_message: NAMES.readMail,
  reply_to_message: NAMES.send,
  get_attachment: NAMES.readAttachment,
  get_thread: NAMES.readConversation,
  mark_as_read: NAMES.done,
};
const CALENDAR_TOOLS: Readonly<Record<string, string>> = {
  create_event: NAMES.meet,
  list_events: NAMES.lookUp,
};

const QUESTION: ToolDefinition = {
  ...ASK_USER,
  modelName: NAMES.ask,
  graph: 'inbox',
  toolType: OWN_SERVER,
  outputSchema: null,
  readOnly: true,
  asListed: {},
};

/** What a conversation about this mail is offered, by the graph's names: of its mailbox, its calendar, and the question. */
export function offerFor(
  { server, calendar }: ThreadMail,
  { tools, instructions, down }: ToolOffer,
): ToolOffer {
  const isIts = (one: string) => one === server || one === calendar;
  const own = tools.flatMap((tool): ToolDefinition[] => {
    const name =
      (tool.server === server ? named(MAIL_TOOLS, tool.name) : null) ??
      (tool.server === calendar ? named(CALENDAR_TOOLS, tool.name) : null);
    return name === null ? [] : [{ ...tool, modelName: name, graph: 'inbox' }];
  });
  return {
    tools: [...own, QUESTION],
    instructions: instructions.filter((one) => isIts(one.server)),
    down: down.filter(isIts),
  };
}

function named(names: Readonly<Record<string, string>>, tool: string): string | null {
  return Object.hasOwn(names, tool) ? (names[tool] ?? null) : null;
}

/** The tools as the model is given them. Which mail is done isn't its to say. */
export function presentTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.flatMap((tool) => {
    if (tool.modelName === NAMES.readMail) return [];
    return tool.modelName === NAMES.done ? [{ ...tool, ...DONE }] : [tool];
  });
}

const DONE: Pick<ToolSnapshot, 'description' | 'inputSchema'> = {
  description:
    'Nothing is left to do about the mail: it is marked as read, and the work on it ends. Call it alone, once the results of all other calls are there.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
};
