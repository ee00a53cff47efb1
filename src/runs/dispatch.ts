import type { CallRecord } from '../gate/types.ts';
import type { CallTool } from '../mcp/types.ts';
import type { Dispatch } from './ports.ts';

/** Sends what was decided: the call as the record has it, through the gated caller. */
export function createDispatch(callTool: CallTool): Dispatch {
  return async (call: CallRecord, context) => {
    await callTool({
      threadId: call.threadId,
      runId: context.runId,
      requester: context.requester,
      call: {
        callId: call.callId,
        kind: call.kind,
        tool: call.tool,
        modelName: call.tool.modelName,
        arguments: call.arguments,
      },
      fence: context.fence,
      signal: context.signal,
      onProgress: (progress) => context.emit({ type: 'tool_progress', callId: call.callId, progress }),
    });
  };
}
