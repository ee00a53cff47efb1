import { NO_SENSE } from './texts.ts';

/** The key of `_meta` by which an error of a server in this process says that what was asked can't be done: there is no such thing. */
export const IMPOSSIBLE_META = 'countersign/impossible';

/** An error that the caller can fix; the message is a sentence without a full stop. */
export class ToolProblem extends Error {}

/** A problem that only came up on the way: whether what was asked can be done isn't known. */
export class UnclearProblem extends ToolProblem {}

/** A tool's result in MCP, as servers in this process give it. */
interface ToolResult {
  [key: string]: unknown;
  content: ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/**
 * A tool's answer: a sentence for people, then the same as JSON for clients that don't read structured
 * content.
 */
export function answer(
  sentence: string,
  structuredContent: Record<string, unknown>,
  images: readonly Uint8Array[] = [],
): ToolResult {
  const pictures = images.map((png) => ({
    type: 'image' as const,
    data: Buffer.from(png).toString('base64'),
    mimeType: 'image/png',
  }));
  return {
    content: [
      { type: 'text', text: sentence },
      { type: 'text', text: JSON.stringify(structuredContent) },
      ...pictures,
    ],
    structuredContent,
  };
}

/**
 * Runs a tool and answers errors that the caller can fix, with what wasn't done. The runtime's own, such as an overflow of the stack or
 * a time that there isn't, come of what the tool got, and their words are for nobody.
 *
 * @param undone such as "Nothing was created."
 */
export async function answering(
  undone: string,
  run: () => ToolResult | Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RangeError) return answerProblem(NO_SENSE, undone);
    if (!(error instanceof ToolProblem)) throw error;
    const said = answerProblem(error.message, undone);
    return error instanceof UnclearProblem ? said : { ...said, _meta: { [IMPOSSIBLE_META]: true } };
  }
}

/** The answer of a tool that did nothing, for a reason such as a {@link ToolProblem} has. */
export function answerProblem(problem: string, undone: string): ToolResult {
  const text = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. ${undone}`;
  return { isError: true, content: [{ type: 'text', text }] };
}
