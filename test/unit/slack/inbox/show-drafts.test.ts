import { expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/types.ts';
import type { Mailbox } from '../../../../src/inbox/ports.ts';
import { createInboxPlaces } from '../../../../src/slack/inbox/places.ts';

it('drafts are shown with a mail that came since only where their mailbox belongs', async () => {
  const shown: string[] = [];
  const threadId = 'slack:T1:C0GENERAL:1.000001';
  const call = {
    callId: 'c1',
    threadId,
    state: 'pending',
    tool: { graph: 'inbox', modelName: 'send_email' },
  };
  const ports = {
    gate: {
      calls: { get: async () => null, inThread: async () => [call as CallRecord] },
      requests: { openIn: async () => ({ callIds: ['c1'] }) },
    },
    refresh: async (callKey: string) => void shown.push(callKey),
    log: { warn: () => {} },
  };
  const places = createInboxPlaces(ports as unknown as Parameters<typeof createInboxPlaces>[0]);
  const show = (place: string | null) => places.showDrafts({ place } as Mailbox, threadId);
  await show(null);
  await show('C0OTHER');
  expect(shown).toEqual([]);
  await show('C0GENERAL');
  expect(shown).toHaveLength(1);
});
