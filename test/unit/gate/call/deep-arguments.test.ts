import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const nested = (levels: number): JsonObject => (levels === 1 ? { a: 1 } : { a: nested(levels - 1) });

describe('arguments that nest too deeply', () => {
  let fixture: OpenGate;
  beforeEach(() => {
    fixture = openGate();
  });

  it.each([101, 500, 50_000])(
    'are not shown to anybody, and the model learns why: %i levels',
    async (levels) => {
      const deep: JsonObject = {};
      let inner = deep;
      for (let level = 1; level < levels; level += 1) {
        const next: JsonObject = {};
        inner.a = next;
        inner = next;
      }
      await fixture.gate.requests.open(
        opening(await fixture.fence(), { ...proposed('c1'), arguments: deep }),
      );
      expect(await fixture.call('c1')).toMatchObject({
        state: 'failed',
        outcome: { message: expect.stringContaining('more than 100 levels deep') },
      });
    },
  );

  it('are refused where somebody writes them in an edit', async () => {
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    const { digest } = await fixture.call('c1');
    const edit = { callKey: callKey(THREAD, 'c1'), digest, type: 'edit' as const, arguments: nested(101) };
    await expect(fixture.gate.decisions.decide([edit], ana)).rejects.toMatchObject({
      refusal: 'invalid_arguments',
      details: [expect.stringContaining('more than 100 levels deep')],
    });
    expect((await fixture.call('c1')).state).toBe('pending');
  });
});
