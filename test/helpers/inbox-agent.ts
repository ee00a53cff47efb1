import { isToolMessage } from '@langchain/core/messages';
import { createInboxAgent } from '../../src/agents/index.ts';
import type { AgentInbox, ThreadMail } from '../../src/agents/ports.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import { createFakeHub, ended, type FakeTool, failure, success } from './fake-hub.ts';
import { type Network, type NetworkOptions, openNetwork } from './network.ts';
import { ana } from './people.ts';

export const MAIL_ID = 'm1';
export const MAIL = 'From: Cy <cy@other.test>\nSubject: Lunch\n\nLunch on Friday?';
export const STANDING_WISH = 'A mail came that needs an answer. Answer it.';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const id = { type: 'object', properties: { message_id: text }, required: ['message_id'] };

/** The servers of a mailbox and of others, in memory. `isGone`: the mail can't be read. */
export function mailTools({ isGone = false, isStuck = false } = {}): readonly FakeTool[] {
  const tool = (name: string, said: string, inputSchema: FakeTool['inputSchema'] = id): FakeTool => ({
    ...{ server: 'mail', name },
    ...(inputSchema && { inputSchema }),
    run: () => ended(success(said)),
  });
  const reply = {
    type: 'object',
    properties: { message_id: text, to: texts, cc: texts, body: text },
    required: ['message_id', 'to', 'body'],
    additionalProperties: false,
  };
  return [
    { ...tool('get_message', MAIL), ...(isGone && { run: () => ended(failure('there is no such mail')) }) },
    tool('get_thread', MAIL, { type: 'object', properties: { thread_id: text }, required: ['thread_id'] }),
    tool('get_attachment', 'a text'),
    tool('reply_to_message', 'Sent.', reply),
    { ...tool('mark_as_read', 'Marked.'), ...(isStuck && { run: () => ended(failure('it is locked')) }) },
    tool('delete_message', 'Deleted.'),
  ];
}

/** Reads are allowed; the rest is asked about, marking as read too where its call isn't the graph's own. */
const POLICY = policySchema.parse({
  rules: [{ name: 'reads', tools: ['*.list_*', '*.get_*'], action: 'allow' }],
});

const HERE: ThreadMail = {
  server: 'mail',
  messageId: MAIL_ID,
  conversationId: 't1',
  calendar: 'calendar',
  owner: ana,
};

const QUIET: AgentInbox = {
  mailOf: async () => HERE,
  recall: async () => null,
  decided: async () => undefined,
  marked: async () => ({ marked: 0, stay: 0 }),
  left: async () => 0,
};

export interface InboxOptions extends Omit<NetworkOptions, 'graphs'> {
  readonly inbox?: Partial<AgentInbox>;
}

/** The core with the graph that answers mails, in a thread that is about {@link MAIL}. */
export function openInboxNetwork(options: InboxOptions = {}): Network {
  return openNetwork(withInbox(options));
}

export function withInbox({ inbox, ...options }: InboxOptions = {}): NetworkOptions {
  return {
    hub: createFakeHub(...mailTools()),
    policy: POLICY,
    ...options,
    graphs: (ports) => ({
      inbox: createInboxAgent(ports, { ...QUIET, ...inbox }),
    }),
  };
}

/** The names of the calls that were sent to the mailbox and the calendar, and what mattered of them. */
export function sentBy({ hub }: Pick<Network, 'hub'>): readonly (readonly [string, unknown])[] {
  return hub.sent.map(({ name, arguments: args }) => [
    name,
    args.body ?? args.title ?? args.message_id ?? '',
  ]);
}

/** What the model was told of a call. */
export async function toldOf(network: Network, callId: string): Promise<string> {
  const told = (await network.messages()).find((one) => isToolMessage(one) && one.tool_call_id === callId);
  return told?.text ?? '';
}
