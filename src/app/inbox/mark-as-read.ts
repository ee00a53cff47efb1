import type { Gate } from '../../gate/index.ts';
import { RefusalError } from '../../gate/types.ts';
import type { MarkAsRead } from '../../inbox/ports.ts';
import type { Ids } from '../../lib/clock.ts';
import { NO_GRAPH } from '../../programs/index.ts';
import type { FindPlace } from '../../programs/ports.ts';
import type { Runs } from '../../runs/index.ts';
import { readSlackUser } from '../../slack/index.ts';
import type { ToolSide } from '../compose-tools.ts';
import { CANNOT_MARK } from '../texts/inbox.ts';

const TOOL = 'mark_as_read';

interface MarkPorts {
  readonly gate: Pick<Gate, 'requests'>;
  readonly openThread: Runs['openThread'];
  readonly ids: Ids;
  readonly offer: ToolSide['offer'];
  readonly findPlace: FindPlace;
}

/**
 * Marks mails as read by a call in a thread of its own, as programs call: the owner's click asks for it, the policy decides, a
 * worker sends it, and it's in the journal and the audit. No run is needed, since there is nothing for a model to say.
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
    const { modelName } = tool;
    await gate.requests.propose({
      threadId,
      runId: `inbox:${callId}`,
      requester: owner,
      call: { callId, kind: 'tool', tool, modelName, arguments: { message_id: messageId } },
      runBy: 'worker',
      async also() {
        const { expect = [], put = [] } = await also();
        const thread = openThread({ threadId, surface: place.surface, graph: NO_GRAPH });
        return { expect, put: [...put, thread] };
      },
    });
  };
}
