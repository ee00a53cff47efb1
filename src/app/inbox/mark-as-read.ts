import type { Gate } from '../../gate/index.ts';
import { RefusalError, recordKey } from '../../gate/types.ts';
import type { MarkAsRead } from '../../inbox/ports.ts';
import type { Ids } from '../../lib/clock.ts';
import { NO_GRAPH } from '../../programs/index.ts';
import type { FindPlace } from '../../programs/ports.ts';
import type { Runs } from '../../runs/index.ts';
import { callRun, readSlackUser } from '../../slack/index.ts';
import type { ToolSide } from '../compose-tools.ts';
import { CANNOT_MARK, MAY_NOT_MARK } from '../texts/inbox.ts';

const TOOL = 'mark_as_read';

interface MarkPorts {
  readonly gate: Pick<Gate, 'requests' | 'policy'>;
  readonly openThread: Runs['openThread'];
  readonly ids: Ids;
  readonly offer: ToolSide['offer'];
  readonly findPlace: FindPlace;
}

/**
 * Marks mails as read by a call in a thread of its own, as programs call: the owner's click asks for it, so that it's done unless
 * the policy denies it, a worker sends it, and it's in the journal and the audit. No run is needed, since there is nothing for a
 * model to say.
 */
export function createMarkAsRead({ gate, openThread, ids, offer, findPlace }: MarkPorts): MarkAsRead {
  return async ({ owner, server, place: channel }, { messageId }, also) => {
    const place = await findPlace({ person: readSlackUser(owner.id) ?? '', channel });
    const { tools } = await offer(owner, (name) => name === server);
    const tool = tools.find((it) => it.server === server && it.name === TOOL);
    if (place === null || !tool || tool.unavailableReason !== undefined)
      throw new RefusalError('not_applicable', CANNOT_MARK(server));
    const callId = ids();
    const threadId = place.threadId(callId);
    const call = {
      callId,
      kind: 'tool',
      tool: { ...tool, graph: 'inbox' },
      modelName: tool.modelName,
      arguments: { message_id: messageId },
    } as const;
    const proposal = { threadId, runId: `inbox:${callId}`, requester: owner, call };
    // Nothing would be sent, and the mail would count as done all the same.
    if (gate.policy.refusal(proposal, call) !== null)
      throw new RefusalError('not_applicable', MAY_NOT_MARK(server));
    await gate.requests.propose({
      ...proposal,
      runBy: 'worker',
      async also() {
        const { expect = [], put = [] } = await also(callRun(recordKey({ threadId, callId })));
        const thread = openThread({ threadId, surface: place.surface, graph: NO_GRAPH });
        return { expect, put: [...put, thread] };
      },
    });
  };
}
