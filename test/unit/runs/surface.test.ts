import { describe, expect, it } from 'vitest';
import { eventThreads } from '../../../src/gate/call/events.ts';
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

/** A waiting call, with its request; tests move its thread moved where the test wants it. */
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
    expect(listener.announce?.(event, eventThreads(event))).toMatchObject([{ collection: 'http' }]);
    listener.notify?.(event, eventThreads(event));
    expect(http.told).toEqual([['http:ci:t1'], ['http:ci:t1']]);
    expect(slack.told).toEqual([]);
  });

  it('are divided where decisions were made in threads of several surfaces', async () => {
    const call = await decidedCall();
    const calls = [call, { ...call, threadId: 'http:ci:t1' }];
    const [slack, http] = [telling('slack'), telling('http')];
    const listener = createSurfaceListener([slack.surface, http.surface]);
    const event: GateEvent = { type: 'decided', calls };
    expect(listener.announce?.(event, eventThreads(event))).toHaveLength(2);
    expect(slack.told).toEqual([[call.threadId]]);
    expect(http.told).toEqual([['http:ci:t1']]);
  });

  it('are divided where a decision that has people asked again about a call was made with others', async () => {
    const fixture = openGate();
    const request = await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    const call = await fixture.call('c1');
    const calls = [call, { ...call, threadId: 'http:ci:t1' }];
    const [slack, http] = [telling('slack'), telling('http')];
    const listener = createSurfaceListener([slack.surface, http.surface]);
    const event: GateEvent = { type: 'asked', request, calls };
    listener.notify?.(event, eventThreads(event));
    expect(slack.told).toEqual([[call.threadId]]);
    expect(http.told).toEqual([['http:ci:t1']]);
    expect(eventThreads(event).ofWorkers).toEqual([call.threadId, 'http:ci:t1']);
  });

  it('of a surface that this process does not have are announced nowhere', async () => {
    const call = { ...(await decidedCall()), threadId: 'email:box:1' };
    const { surface, told } = telling('slack');
    const event: GateEvent = { type: 'ended', call };
    expect(createSurfaceListener([surface]).announce?.(event, eventThreads(event))).toEqual([]);
    expect(told).toEqual([]);
  });
});
