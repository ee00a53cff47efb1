import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import {
  type FindReceiptKey,
  RECEIPT_META,
  ReceiptError,
  type UsedReceipts,
  verifyReceipt,
} from 'countersign-client';

interface TillPorts {
  /** The Countersign whose approvals count. */
  readonly issuer: string;
  /** The server's name in the configuration of Countersign. */
  readonly name: string;
  readonly keys: FindReceiptKey;
  /** Shared by all connections. */
  readonly used: UsedReceipts;
  readonly now?: () => number;
}

const TOOLS: Tool[] = [
  {
    name: 'pay',
    title: 'Pay',
    description: 'Pays an amount to somebody. Only what a person approved is paid.',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'string' }, amount: { type: 'number' } },
      required: ['to', 'amount'],
      additionalProperties: false,
    },
  },
  {
    name: 'count_payments',
    title: 'Count payments',
    description: 'How many payments were made.',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
];

/**
 * The servers of one till, which pays only with a receipt; each connection gets one. The receipt is checked against the
 * arguments as they came. So the handler is that of the protocol, which fills in no defaults.
 */
export function createTill({ issuer, name, ...checks }: TillPorts): () => Server {
  const paid: string[] = [];
  return () => {
    const server = new Server({ name, version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
    server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
      if (params.name === 'count_payments') return say(String(paid.length));
      if (params.name !== 'pay') return { ...say(`There is no tool ${params.name}.`), isError: true };
      const token = params._meta?.[RECEIPT_META];
      const call = { tool: params.name, arguments: params.arguments };
      try {
        const receipt = await verifyReceipt(token, { issuer, audience: name, ...call, ...checks });
        const people = receipt.approved_by.map(({ id }) => id);
        paid.push(receipt.jti);
        return say(`Paid, as approved by ${people.join(' and ') || receipt.grant?.by}.`);
      } catch (error) {
        if (error instanceof ReceiptError) return { ...say(`Not paid. ${error.message}`), isError: true };
        throw error;
      }
    });
    return server;
  };
}

function say(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
