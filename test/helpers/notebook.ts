import { createAuditLog, verifyChain } from '../../src/gate/index.ts';
import type { AuditEntry, DecisionInput, Outcome, Plan, ProposedCall } from '../../src/gate/types.ts';
import { type Actor, callKey } from '../../src/gate/types.ts';
import type { Conversation, Prompt } from '../../src/notebook/collect.ts';
import { checkPage, createNotebooks } from '../../src/notebook/index.ts';
import type { MailboxItem } from '../../src/runs/index.ts';
import { auditKeys } from './audit-keys.ts';
import { beginning, openGate, opening, proposed } from './gate.ts';
import { ana, THREAD } from './people.ts';

/** A message that was answered. */
export function written(text: string, more: Partial<MailboxItem> = {}): MailboxItem {
  return {
    itemId: text,
    threadId: THREAD,
    actor: ana,
    text,
    at: 900_000,
    receivedAt: 900_000,
    state: 'answered',
    runId: 'r1',
    stoppedBy: null,
    response: 'Done.',
    ...more,
  };
}

/** A conversation on a real gate, and its notebooks. What was written and asked in it is given; files are kept by their names. */
export function openConversation(
  messages: readonly MailboxItem[],
  files: Readonly<Record<string, Buffer>> = {},
  prompts: readonly Prompt[] = [],
  { isInChannel = true, thread = null }: Partial<Pick<Conversation, 'isInChannel' | 'thread'>> = {},
) {
  const { gate, store, time, ...fixture } = openGate();
  const notebooks = createNotebooks({
    store,
    gate,
    runs: {
      thread: async () => thread,
      messages: async () => messages,
      hasWritten: async (_threadId, actorId) => messages.some(({ actor }) => actor.id === actorId),
    },
    bytes: async (_threadId, { name }) => files[name] ?? null,
    isInChannel: () => isInChannel,
    prompts: async () => prompts,
    audit: createAuditLog({ store, auditKeys, clock: () => time.now }),
  });
  let asked = 0;
  const chain = (): Promise<readonly AuditEntry[]> =>
    verifyChain({ store, verifier: auditKeys }, THREAD, ({ problem }) => {
      throw new Error(problem);
    });
  return {
    gate,
    store,
    notebooks,
    chain,
    async ask(calls: readonly ProposedCall[], plan?: Plan): Promise<void> {
      asked += 1;
      const request = { ...opening(await fixture.fence(), ...calls), interruptId: `i${asked}` };
      await gate.requests.open({ ...request, ...(plan && { plan }) });
    },
    async decide(callId: string, actor: Actor, decision: Partial<DecisionInput>): Promise<void> {
      time.now += 1_000;
      const input = { callKey: callKey(THREAD, callId), digest: null, type: 'approve' as const, ...decision };
      await gate.decisions.decide([input], actor);
    },
    /** Sends a call that was approved, or that the policy allows, which then ends like this. */
    async run(callId: string, outcome: Outcome, call: ProposedCall = proposed(callId)): Promise<void> {
      const begun = await gate.journal.begin(beginning(await fixture.fence(), call));
      time.now += 2_500;
      await gate.journal.finish(begun.call, outcome);
    },
    /** The page as it is written for somebody, in a place that others read unless `reader` says. */
    async page(by: Actor = ana, reader: Actor | null = null): Promise<string> {
      const notebook = await notebooks.write(THREAD, { by, reader });
      if (!notebook) throw new Error('there is no such conversation');
      return notebook.page.content.toString();
    },
    /** What is wrong with a page, each with its line. */
    async check(page: string): Promise<readonly string[]> {
      return (await checkPage(page, await chain())).map(
        ({ line, problem }) => `${line ?? 'page'}: ${problem}`,
      );
    },
  };
}
export type TestConversation = ReturnType<typeof openConversation>;
