/** The server that functions of programs count as, and what their names begin with, for rules. */
export const FUNCTION_OF_PROGRAM = { server: 'agent', prefix: 'agent_' } as const;

/** The name by which the use of a server's prompt is decided on, as of a tool of it. */
export const GET_PROMPT = 'get_prompt';

/** The server name of the program's own tools. */
export const OWN_SERVER = 'countersign';
