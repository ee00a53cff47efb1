import { expect, it } from 'vitest';
import type { GateEvent } from '../../../src/gate/types.ts';
import { SlackSurface } from '../../../src/slack/surface.ts';
import { callRecord } from './cards/fixtures.ts';

it('progress gives way to cards and answers where Slack takes few more updates', () => {
  const surface = new SlackSurface(Date.now, 'me', { isAlone: true });
  const call = callRecord({ state: 'executing', threadId: 'slack:T1:C1:1.0' });
  const shown = (type: 'progressed' | 'ended') => surface.announceGate({ type, call } satisfies GateEvent);
  let room = 0.6;
  const display = { observe() {}, notifyGate() {}, notifyRun() {}, refreshHome: async () => {} };
  surface.displayOn(display, { room: (method) => (method === 'chat.update' ? room : 1) });
  expect(shown('progressed')).not.toEqual([]);
  room = 0.4;
  expect(shown('progressed')).toEqual([]);
  expect(shown('ended')).not.toEqual([]);
});
