import type { Gate } from '../gate/index.ts';
import type { CallTool } from '../tools/ports.ts';
import type { Dispatch } from './ports.ts';
import { createRunRetries } from './retry-budget.ts';
import { createCallStatus } from './running-status.ts';

/** Sends approved calls, within their run's retry budget, and shows a status while they run. */
export function createDispatch({
  gate,
  callTool,
}: {
  readonly gate: Pick<Gate, 'calls'>;
  readonly callTool: CallTool;
}): Dispatch {
  const withRetries = createRunRetries(gate);
  const withStatus = createCallStatus();
  return (call, context) => {
    const { callId, kind, tool, arguments: args } = call;
    return withRetries(call, (mayRetry) =>
      withStatus(context, tool.title, async () => {
        await callTool({
          ...context,
          call: { callId, kind, tool, modelName: tool.modelName, arguments: args },
          mayRetry,
          onProgress: (progress) =>
            context.emit({ type: 'tool_progress', callId, title: tool.title, progress }),
        });
      }),
    );
  };
}
