import type { ToolOffer } from '../../tools/ports.ts';

/** What the master and the composer are offered: their agents have the tools. */
export const NO_TOOLS: { readonly offer: ToolOffer; readonly tools: ToolOffer['tools'] } = {
  offer: { tools: [], instructions: [], down: [] },
  tools: [],
};
