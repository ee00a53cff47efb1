import { OWN_SERVER, type ToolSnapshot } from '../../gate/types.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { ToolDefinition, ToolOffer } from '../../tools/ports.ts';
import type { ThreadMail } from '../ports.ts';
import { ASK_USER } from '../shared/ask-user.ts';

/** The names by which the graph has its tools. What reads the mail at the start isn't offered to the model. */
export const NAMES = {
  readMail: 'read_mail',
  send: 'send_email',
  meet: 'schedule_meeting',
  lookUp: 'check_calendar',
  lookUpOthers: 'check_free_busy',
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
  get_free_busy: NAMES.lookUpOthers,
};

/** How calendars call those whom a meeting invites. */
const GUESTS = ['attendees', 'guests'] as const;

/** What heads the card of a meeting, by the names that calendars have for its title. */
const MEETING_TITLE = ['title', 'summary'].flatMap((name) =>
  ['start.span', 'start'].map((when) => `Create meeting {${name}}, {${when}}`),
);

/** How a calendar is asked what is on while a meeting would be, by what it takes: moments, or whole days. */
const ASKED_FOR: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'date-time': { from: '{span.from}', to: '{span.to}' },
  date: { from: '{span.first_day}', to: '{span.last_day}', time_zone: '{span.zone?}' },
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
export function offerFor(mail: ThreadMail, { tools, instructions, down }: ToolOffer): ToolOffer {
  const { server, calendar } = mail;
  const reply = tools.find((tool) => tool.server === server && MAIL_TOOLS[tool.name] === NAMES.send);
  const isIts = (one: string) => one === server || one === calendar;
  const own = tools.flatMap((tool): ToolDefinition[] => {
    const name =
      (tool.server === server ? named(MAIL_TOOLS, tool.name) : null) ??
      (tool.server === calendar ? named(CALENDAR_TOOLS, tool.name) : null);
    if (name === null) return [];
    const own = { ...tool, modelName: name, graph: 'inbox' } as const;
    return [name === NAMES.meet ? withCalendar(besideMail(own, mail, reply), tools) : own];
  });
  return {
    tools: [...own, QUESTION],
    instructions: instructions.filter((one) => isIts(one.server)),
    down: down.filter(isIts),
  };
}

/** The meeting with a card that shows the mail and compares whom it invites, by the look-up of a reply's card. */
function besideMail(
  given: ToolDefinition,
  { messageId }: ThreadMail,
  reply: ToolDefinition | undefined,
): ToolDefinition {
  const meeting = { ...given, card: { ...given.card, title: [...MEETING_TITLE] } };
  const lookUp = reply?.card?.lookUp;
  if (lookUp === undefined) return meeting;
  const { properties } = meeting.inputSchema;
  const guests = GUESTS.find((name) => isJsonObject(properties) && Object.hasOwn(properties, name));
  // Where no argument is known to be the guests, nothing is compared, and the card says so.
  const to = guests === undefined ? `{${GUESTS[0]}}` : `{${guests}?}`;
  return {
    ...meeting,
    card: { ...meeting.card, lookUp: { ...lookUp, with: { message_id: messageId, to } } },
  };
}

/**
 * The meeting with a card that says whether its person is free then, where their own calendar can be asked for some time, and a form in
 * which they choose the calendar, where those can be listed.
 */
function withCalendar(meeting: ToolDefinition, tools: readonly ToolDefinition[]): ToolDefinition {
  const { server } = meeting;
  const its = (name: string) => tools.find((tool) => tool.server === server && tool.name === name);
  const [events, calendars] = [its('list_events'), its('list_calendars')];
  const { properties } = events?.inputSchema ?? {};
  const from = isJsonObject(properties) ? properties.from : undefined;
  const format = isJsonObject(from) && typeof from.format === 'string' ? from.format : '';
  const given = Object.hasOwn(ASKED_FOR, format) ? ASKED_FOR[format] : undefined;
  return {
    ...meeting,
    card: {
      ...meeting.card,
      ...(events && given && { agenda: { server, name: events.name, with: { ...given } } }),
      ...(calendars && { calendars: { server, name: calendars.name, with: {} } }),
    },
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
