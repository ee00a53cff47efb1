import { describe, expect, it } from 'vitest';
import type { GateEvent } from '../../../src/gate/types.ts';
import { createSurfaceListener, type Surface } from '../../../src/runs/index.ts';
import { openGate, opening, proposed } from '../../helpers/gate.ts';
import { quietSurface } from '../../helpers/surface.ts';

/** A surface that notes of which threads it was told. */
function telling(kind: string) {
  const told: (readonly string[])[] = [];
  const note = (event: GateEvent) =>
    void told.push(
      'calls' in event
        ? event.calls.map(({ threadId }) => threadId)
        : ['call' in event ? event.call.threadId : ''],
    );
  const surface: Surface = quietSurface({
    kind,
    announceGate(event) {
      note(event);
      return [{ collection: kind, id: 'row', json: '{}', keys: {} }];
    },
    notifyGate: note,
  });
  return { surface, told };
}

/** A decided call, with its thread moved where the test wants it. */
async function decidedCall() {
  const fixture = openGate();
  await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
  const call = await fixture.call('c1');
  return call;
}

describe('events at the gate', () => {
  it('are announced on the surface of their thread alone', async () => {
    const call = { ...(await decidedCall()), threadId: 'http:ci:t1' };
    const [slack, http] = [telling('slack'), telling('http')];
    const listener = createSurfaceListener([slack.surface, http.surface]);
    const event: GateEvent = { type: 'ended', call };
    expect(listener.announce?.(event)).toMatchObject([{ collection: 'http' }]);
    listener.notify?.(event);
    expect(http.told).toEqual([['http:ci:t1'], ['http:ci:t1']]);
    expect(slack.told).toEqual([]);
  });

  it('are divided where decisions were made in threads of several surfaces', async () => {
    const call = await decidedCall();
    const calls = [call, { ...call, threadId: 'http:ci:t1' }];
    const [slack, http] = [telling('slack'), telling('http')];
    const listener = createSurfaceListener([slack.surface, http.surface]);
    expect(listener.announce?.({ type: 'decided', calls })).toHaveLength(2);
    expect(slack.told).toEqual([[call.threadId]]);
    expect(http.told).toEqual([['http:ci:t1']]);
  });

  it('of a surface that this process does not have are announced nowhere', async () => {
    const call = { ...(await decidedCall()), threadId: 'email:box:1' };
    const { surface, told } = telling('slack');
    expect(createSurfaceListener([surface]).announce?.({ type: 'ended', call })).toEqual([]);
    expect(told).toEqual([]);
  });
});
