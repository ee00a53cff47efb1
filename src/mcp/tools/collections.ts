import { z } from 'zod';
import { collection } from '../../storage/store.ts';

const toolListSchema = z.object({
  server: z.string(),
  url: z.string(),
  tools: z.array(z.record(z.string(), z.json())),
  at: z.number(),
});

/** The tools of a server that everybody signs in to, as it listed them last to whomever; the id is the server's name. */
export const toolLists = collection({ name: 'mcp_tool_lists', schema: toolListSchema, indexes: {} });

/** The same as it listed them last for one person; the id is {@link connectionId}. Gone with that connection. */
export const ownToolLists = collection({
  name: 'mcp_own_tool_lists',
  schema: toolListSchema.extend({
    /** When the sign-in was made under which they were listed. */
    connectedAt: z.number(),
  }),
  indexes: { byTime: ({ at }) => [at] },
});
