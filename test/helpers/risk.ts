import type { CallRecord } from '../../src/gate/call/record.ts';
import { compilePolicy } from '../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import type { GateOptions } from '../../src/gate/ports.ts';
import { compilePermissions, permissionsSchema } from '../../src/gate/risk/permissions.ts';
import { beginning, openGate, proposed } from './gate.ts';

const none = {
  enabled: true,
  write_operation: false,
  read_private_data: false,
  read_untrusted_public_data: false,
};

/** Tools with one risk each, and one that nobody may call. */
const PERMISSIONS = permissionsSchema.parse({
  _metadata: { version: 1 },
  mail: {
    list_mail: { ...none, read_private_data: true, acl: 'PRIVATE' },
    list_vault: { ...none, read_private_data: true, acl: 'SECRET' },
    send_mail: { ...none, write_operation: true, acl: 'PRIVATE' },
    post_public: { ...none, write_operation: true, acl: 'PUBLIC' },
    list_time: { ...none, acl: 'PUBLIC' },
    list_closed: { ...none, enabled: false, acl: 'PUBLIC' },
    ask_mail: { ...none, read_private_data: true, acl: 'PRIVATE' },
    ask_send: { ...none, write_operation: true, acl: 'PRIVATE' },
  },
  web: {
    list_page: { ...none, read_untrusted_public_data: true, acl: 'PUBLIC' },
    ask_page: { ...none, read_untrusted_public_data: true, acl: 'PUBLIC' },
  },
  agent: { post: { ...none, write_operation: true, acl: 'PRIVATE' } },
});

/** What a gate needs to judge sessions by {@link PERMISSIONS}. */
export const riskPorts = {
  findToolRisk: compilePermissions({ shared: PERMISSIONS, agents: {} }),
  /** `t~` answers a message beside `t`. */
  findConversation: async (threadId: string) => ({
    threadId: threadId.replace(/~$/, ''),
    agent: 'assistant',
  }),
  typedIn: async () => [],
  promptText: async () => '',
  readKept: async () => null,
};

/** A gate whose policy allows everything but what is called `ask_…`, so that for the rest only risk makes it ask. */
export function openRiskGate(changes: Partial<GateOptions> = {}) {
  const evaluate = compilePolicy(
    policySchema.parse({ rules: [{ name: 'asked', tools: '*.ask_*', action: 'ask' }], default: 'allow' }),
  );
  const fixture = openGate({ evaluate, risk: riskPorts, ...changes });
  let count = 0;
  return {
    ...fixture,
    /** Begins a call of `server.tool` and returns it, as ready, or as what it waits for. */
    async begin(tool: string): Promise<CallRecord> {
      count += 1;
      const [server = '', name = ''] = tool.split('.');
      const fence = await fixture.fence();
      const call = proposed(`c${count}`, { server, name });
      return (await fixture.gate.journal.begin(beginning(fence, call))).call;
    },
  };
}
