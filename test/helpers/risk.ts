import type { DecisionInput } from '../../src/gate/call/decision.ts';
import { callKey } from '../../src/gate/call/digest.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import type { GrantTerms } from '../../src/gate/grants/issue.ts';
import { compilePolicy } from '../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import type { GateOptions } from '../../src/gate/ports.ts';
import { compilePermissions, permissionsSchema } from '../../src/gate/risk/permissions.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { beginning, openGate, opening, proposed } from './gate.ts';
import { ana, THREAD } from './people.ts';

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
    send_vault: { ...none, write_operation: true, acl: 'SECRET' },
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
  const disabled = new Set<string>();
  const findToolRisk: typeof riskPorts.findToolRisk = (tool, agent) => {
    const risk = riskPorts.findToolRisk(tool, agent);
    return { ...risk, isEnabled: risk.isEnabled && !disabled.has(`${tool.server}.${tool.name}`) };
  };
  const fixture = openGate({ evaluate, risk: { ...riskPorts, findToolRisk }, ...changes });
  let count = 0;
  const propose = (tool: string) => {
    count += 1;
    const [server = '', name = ''] = tool.split('.');
    return proposed(`c${count}`, { server, name });
  };
  return {
    ...fixture,
    /** Begins a call of `server.tool` and returns it, as ready, or as what it waits for. */
    async begin(tool: string): Promise<CallRecord> {
      const call = propose(tool);
      return (await fixture.gate.journal.begin(beginning(await fixture.fence(), call))).call;
    },
    /** Has people asked about a call of `server.tool`, and returns it with what they can do. */
    async ask(tool: string) {
      const call = propose(tool);
      await fixture.gate.requests.open({ ...opening(await fixture.fence(), call), interruptId: call.callId });
      const { digest } = await fixture.call(call.callId);
      const key = callKey(THREAD, call.callId);
      const decide = (decision: Pick<DecisionInput, 'type' | 'arguments'>) =>
        fixture.gate.decisions.decide([{ callKey: key, digest, ...decision }], ana);
      const terms: GrantTerms = { fixed: [], scope: 'thread', until: 2_000_000, limit: 9 };
      return {
        approve: () => decide({ type: 'approve' }),
        edit: (args: JsonObject) => decide({ type: 'edit', arguments: args }),
        remember: () => fixture.gate.grants.approveAndIssue(key, ana, { digest, terms }),
        /** Sends it, and returns it as ready, or as what it ended as, or waits for. */
        send: async () => (await fixture.gate.journal.begin(beginning(await fixture.fence(), call))).call,
      };
    },
    /** The operator disables a tool, `server.tool`. */
    disable: (tool: string): void => void disabled.add(tool),
  };
}
