import { callKey } from './digest.ts';
import { afterPage, isFor, type PageDone, pageDone } from './page-done.ts';
import type { GatePorts } from './ports.ts';
import type { CallRecord } from './types.ts';

/** What is remembered of one server's words at most: a server that says more pushes out its own. */
const MOST_REMEMBERED = 100;

/**
 * The words of servers on pages, as far as this process heard them. One may come before it is on record that the call
 * waits for the page, or before the server's own answer that it does: it is remembered for the calls under way then.
 */
export function createPageWords(ports: GatePorts) {
  const heard = new Map<string, { readonly done: PageDone; readonly at: number }[]>();

  return {
    /** As {@link pageDone}, also for what comes to wait for the page now. */
    async done(done: PageDone): Promise<void> {
      // First of all: what comes to wait while it is looked for looks here.
      const before = heard.get(done.server) ?? [];
      heard.set(done.server, [...before, { done, at: ports.clock() }].slice(-MOST_REMEMBERED));
      await pageDone(ports, done);
    },

    /** Lets the call go on if its server has said that people are done with its page since it was sent. */
    async overtaken(call: CallRecord): Promise<void> {
      const { intentAt } = call;
      if (intentAt === null) return;
      const words = heard.get(call.tool.server) ?? [];
      const said = words.find(({ done, at }) => at >= intentAt && isFor(call, done));
      if (said) await afterPage(ports, callKey(call.threadId, call.callId), said.done);
    },
  };
}
