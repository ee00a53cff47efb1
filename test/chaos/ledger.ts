import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { EntryPlan } from './plan.ts';

/** One thing that has happened in the world. */
interface Effect {
  readonly entry: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The tool server: outlives every kill, as the world does, and knows what has really happened. */
export interface Ledger {
  readonly url: string;
  readonly effects: readonly Effect[];
  /** How often an entry has happened. */
  count(entry: string): number;
  /** Whether a call for the entry is under way: what it does may still come. */
  isBusy(entry: string): boolean;
  breakConnections(): void;
  close(): Promise<void>;
}

const argumentsSchema = z.strictObject({
  entry: z.string().meta({ title: 'Entry' }),
  amount: z.int().min(1).optional().meta({ title: 'Amount' }),
});

export async function startLedger(plans: readonly EntryPlan[]): Promise<Ledger> {
  const effects: Effect[] = [];
  const busy = new Map<string, number>();
  const byEntry = new Map(plans.map((plan) => [plan.entry, plan]));

  async function add(args: z.infer<typeof argumentsSchema>): Promise<void> {
    const plan = byEntry.get(args.entry);
    busy.set(args.entry, (busy.get(args.entry) ?? 0) + 1);
    try {
      await after(plan?.beforeMs ?? 0);
      effects.push({ entry: args.entry, arguments: args });
      await after(plan?.afterMs ?? 0);
    } finally {
      busy.set(args.entry, (busy.get(args.entry) ?? 1) - 1);
    }
    if (plan?.losesAnswer) http.closeAllConnections();
  }

  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'ledger', version: '1.0.0' });
    server.registerTool(
      'add_entry',
      { title: 'Add entry', inputSchema: argumentsSchema, annotations: { destructiveHint: false } },
      async (args) => {
        await add(args);
        return { content: [{ type: 'text', text: `entered ${args.entry}` }] };
      },
    );
    server.registerTool(
      'read_entries',
      { title: 'Read the ledger', inputSchema: z.object({}), annotations: { readOnlyHint: true } },
      () => ({ content: [{ type: 'text', text: `${effects.length} entries` }] }),
    );
    return server;
  });
  const http = createServer(getRequestListener((request) => handler.fetch(request)));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    effects,
    count: (entry) => effects.filter((effect) => effect.entry === entry).length,
    isBusy: (entry) => (busy.get(entry) ?? 0) > 0,
    breakConnections: () => http.closeAllConnections(),
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}
