/** The server that functions of programs count as, and what their names begin with, for rules. */
export const FUNCTION_OF_PROGRAM = { server: 'agent', prefix: 'agent_' } as const;

/** The name by which the use of a server's prompt is decided on, as of a tool of it. */
export const GET_PROMPT = 'get_prompt';

/** The server name of the program's own tools. */
export const OWN_SERVER = 'countersign';
/** Prefix of the tools that connect a server, followed by the server's name. */
export const CONNECT_PREFIX = 'connect_';

/** The server that one of our own tools connects; null for any other tool. */
export function serverToConnect(server: string, tool: string): string | null {
  return server === OWN_SERVER && tool.startsWith(CONNECT_PREFIX) ? tool.slice(CONNECT_PREFIX.length) : null;
}

/**
 * The built-in rule of the policy: tools that connect a server change nothing, and the person decides by
 * signing in or not.
 */
const CONNECT_RULE = { name: OWN_SERVER, tools: `${OWN_SERVER}.${CONNECT_PREFIX}*` } as const;

/** The one of mailboxes: a mail is marked as read once it's dealt with, as whoever turned its mailbox on wants. */
const MAILBOX_RULE = { name: OWN_SERVER, tools: '*.mark_as_read', graph: 'inbox' } as const;

/**
 * What the graph of mailboxes does apart from that and from reading waits for somebody, each time, whatever the policy or a
 * grant allows: it follows a stranger's text that nobody has looked at. What isn't known to be a read counts as a write.
 */
const MAILBOX_FLOOR = {
  name: OWN_SERVER,
  tools: '*',
  graph: 'inbox',
  action: 'ask',
  except: ['*.get_message', '*.get_thread', '*.get_attachment', '*.list_events'],
} as const;
/** The tools of a mailbox and its calendar by which that graph changes something. */
export const MAILBOX_WRITES: readonly string[] = ['reply_to_message', 'create_event', 'mark_as_read'];

/** What holds beside the operator's policy. The first one that a call matches. */
export const BUILT_IN_RULES = [CONNECT_RULE, MAILBOX_RULE, MAILBOX_FLOOR] as const;
