import type { ToolSnapshot } from '../../gate/types.ts';

/** The `ask_user` tool: the model asks a person, and gets the answer as the result. */
export const ASK_USER: ToolSnapshot = {
  server: 'countersign',
  name: 'ask_user',
  modelName: 'ask_user',
  title: 'Question',
  description:
    'Ask the person one short question when the request cannot be carried out without knowing more. ' +
    'Do not ask for permission: actions that need one are put before the right person by themselves.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'The question, in one sentence.' },
      context: { type: 'string', description: 'Why it matters, in one sentence.' },
    },
    required: ['question'],
    additionalProperties: false,
  },
  definitionHash: 'countersign:ask_user:1',
  destructive: false,
  trusted: true,
};
