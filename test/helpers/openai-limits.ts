import type { ChatCompletionRequest, FixtureResponse } from '@copilotkit/aimock';

/** The most tools that OpenAI takes in a request. */
const MOST_TOOLS = 128;

/**
 * What OpenAI answers to a request with too many tools, in its words; null for any other request.
 * @see https://github.com/vishalmysore/Tools4AI/issues/16
 */
export function refusalOfTools({ tools = [] }: ChatCompletionRequest): FixtureResponse | null {
  if (tools.length <= MOST_TOOLS) return null;
  return {
    error: {
      message: `Invalid 'tools': array too long. Expected an array with maximum length ${MOST_TOOLS}, but got an array with length ${tools.length} instead.`,
      type: 'invalid_request_error',
      param: 'tools',
      code: 'array_above_max_length',
    },
    status: 400,
  };
}
