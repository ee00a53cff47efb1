import { describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { compileArgumentSchemas } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { ArgumentChecks } from '../../../../src/gate/types.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { createArgumentValidator } from '../../../../src/mcp/arguments/validator.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const rulesOf = (written: Record<string, unknown>) =>
  compileArgumentSchemas(policySchema.parse({ arguments: written }));
const argumentRules = rulesOf({
  'calendar.*': { properties: { title: { maxLength: 10 } } },
  'calendar.create_event': { properties: { title: { pattern: '^S' } } },
});
const titled = (title: string) => ({ ...proposed('c1'), arguments: { title } });
const KEY = callKey(THREAD, 'c1');

describe('a schema of the operator', () => {
  it('holds for every tool that a glob names', () => {
    expect(argumentRules({ server: 'calendar', name: 'create_event' })).toHaveLength(2);
    expect(argumentRules({ server: 'calendar', name: 'list_events' })).toHaveLength(1);
    expect(argumentRules({ server: 'files', name: 'create_event' })).toEqual([]);
  });

  it.each(['Create_Event', 'createEvent', 'create-event'])(
    'holds for a tool that may be meant: %s',
    (name) => {
      expect(argumentRules({ server: 'calendar', name })).toHaveLength(2);
    },
  );
});

describe('what the operator says of arguments', () => {
  let fixture: OpenGate;

  it('is checked with the tool’s own schema before anybody is asked', async () => {
    fixture = openGate({ argumentRules });
    const request = await fixture.gate.requests.open(
      opening(await fixture.fence(), titled('A long standup')),
    );
    expect(request.state).toBe('closed');
    expect(await fixture.call('c1')).toMatchObject({
      state: 'failed',
      misfit: true,
      outcome: {
        message:
          'The arguments are invalid: title has more than 10 characters; title does not match the pattern ^S. Nothing was done.',
      },
    });
  });

  it('is checked again after an edit', async () => {
    fixture = openGate({ argumentRules });
    await fixture.gate.requests.open(opening(await fixture.fence(), titled('Standup')));
    const { digest } = await fixture.call('c1');
    const edit = { callKey: KEY, digest, type: 'edit', arguments: { title: 'Lunch' } } as const;
    await expect(fixture.gate.decisions.decide([edit], ana)).rejects.toMatchObject({
      refusal: 'invalid_arguments',
    });
    expect((await fixture.call('c1')).state).toBe('pending');
  });

  it('is checked once more before the call is sent: it may have become stricter', async () => {
    fixture = openGate();
    const fence = await fixture.fence();
    await fixture.gate.requests.open(opening(fence, titled('Lunch')));
    const { digest } = await fixture.call('c1');
    await fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
    const stricter = openGate({ ...fixture.ports, argumentRules });
    const { kind, call } = await stricter.gate.journal.begin(
      beginning(await fixture.fence(), titled('Lunch')),
    );
    expect(kind).toBe('ended');
    expect(call).toMatchObject({ state: 'failed', attempt: 0, outcome: { status: 'failed' } });
  });
});

describe('the arguments of a call', () => {
  /** A gate that notes by which schemas it was checked. */
  function openCounted() {
    const validate = createArgumentValidator();
    const checked: JsonObject[] = [];
    const fixture = openGate({
      argumentRules,
      validateArguments(schema, args) {
        checked.push(schema);
        return validate(schema, args);
      },
    });
    return { ...fixture, checked };
  }

  it('are checked once by each schema where nobody is asked, however the next step was chosen', async () => {
    const { gate, checked, fence } = openCounted();
    const call = proposed('c1', { name: 'list_events' });
    expect(await gate.policy.planApprovals({ threadId: THREAD, runId: 'r1', requester: ana })(call)).toBe(
      false,
    );
    expect(checked).toHaveLength(0);
    expect(await gate.journal.begin(beginning(await fence(), call))).toMatchObject({ kind: 'ready' });
    expect(checked).toHaveLength(2);
  });

  it('are checked once by each schema before people are asked, and by the operator’s once more after', async () => {
    const { gate, checked, fence, call } = openCounted();
    const held = await fence();
    const asked = titled('Standup');
    expect(await gate.policy.planApprovals({ threadId: THREAD, runId: 'r1', requester: ana })(asked)).toBe(
      true,
    );
    await gate.requests.open(opening(held, asked));
    expect(checked).toHaveLength(3);
    const { digest } = await call('c1');
    await gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
    expect(await gate.journal.begin(beginning(held, asked))).toMatchObject({ kind: 'ready' });
    expect(checked).toHaveLength(5);
  });
});

describe('what a tool itself says of its arguments', () => {
  const argumentChecks: ArgumentChecks = (_tool, { title }) =>
    title === 'Standup' ? [] : ['title is no word for it'];

  it('takes the place of what schemas say of the same argument, before anybody is asked', async () => {
    const fixture = openGate({ argumentRules, argumentChecks });
    await fixture.gate.requests.open(opening(await fixture.fence(), titled('A long standup')));
    expect(await fixture.call('c1')).toMatchObject({
      state: 'failed',
      misfit: true,
      outcome: { message: 'The arguments are invalid: title is no word for it. Nothing was done.' },
    });
  });

  it('holds for what somebody makes of them, too', async () => {
    const fixture = openGate({ argumentChecks });
    await fixture.gate.requests.open(opening(await fixture.fence(), titled('Standup')));
    const { digest, state } = await fixture.call('c1');
    expect(state).toBe('pending');
    const edit = { callKey: KEY, digest, type: 'edit', arguments: { title: 'Lunch' } } as const;
    await expect(fixture.gate.decisions.decide([edit], ana)).rejects.toMatchObject({
      details: ['title is no word for it'],
    });
  });
});
