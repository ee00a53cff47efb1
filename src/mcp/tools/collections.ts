import { z } from 'zod';
import { collection } from '../../storage/store.ts';

const toolListSchema = z.object({
  server: z.string(),
  url: z.string(),
  tools: z.array(z.record(z.string(), z.json())),
  at: z.number(),
});

/**
 * The last tool list of a server that people sign in to, from whoever saw it last. The id is the server's
 * name.
 */
export const toolLists = collection({ name: 'mcp_tool_lists', schema: toolListSchema, indexes: {} });

/**
 * The last tool list of one person. The id is {@link connectionId}. Deleted together with that connection.
 */
export const ownToolLists = collection({
  name: 'mcp_own_tool_lists',
  schema: toolListSchema.extend({
    /** When the sign-in was made under which the tools were listed. */
    connectedAt: z.number(),
  }),
  indexes: { byTime: ({ at }) => [at] },
});
