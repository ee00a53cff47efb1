import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';

function verdictOf(policy: unknown, server: string, tool: string) {
  return compilePolicy(policySchema.parse(policy))({ server, tool, arguments: {} });
}

describe('the policy', () => {
  it('asks when no rule matches', () => {
    expect(verdictOf({}, 'calendar', 'create')).toMatchObject({
      action: 'ask',
      rule: 'default',
      reason: null,
    });
  });

  it('takes its own default when it has one', () => {
    expect(verdictOf({ default: 'deny' }, 'calendar', 'create').action).toBe('deny');
  });

  it('lets the first rule that matches decide', () => {
    const rules = [
      { name: 'first', tools: 'calendar.list_*', action: 'allow' },
      { name: 'second', tools: 'calendar.*', action: 'deny' },
    ];
    expect(verdictOf({ rules }, 'calendar', 'list_events').rule).toBe('first');
    expect(verdictOf({ rules }, 'calendar', 'create').rule).toBe('second');
  });

  it('names a rule without a name by its place, and passes its reason on', () => {
    const rules = [
      { tools: 'a.*', action: 'allow' },
      { tools: 'b.*', action: 'deny', reason: 'not here' },
    ];
    expect(verdictOf({ rules }, 'b', 'x')).toMatchObject({ rule: 'rule 2', reason: 'not here' });
  });

  it.each([
    ['*', 'calendar', 'create', true],
    ['calendar.*', 'calendar', 'create', true],
    ['calendar.*', 'calendars', 'create', false],
    ['*.create', 'calendar', 'create', true],
    ['*.create', 'calendar', 'recreate', false],
    ['calendar.create', 'calendar', 'create_event', false],
    ['calendar.creat?', 'calendar', 'create', true],
    ['calendar.create?', 'calendar', 'create', false],
    ['cal.ndar.create', 'calXndar', 'create', false],
    ['calendar.(create)', 'calendar', 'create', false],
    ['calendar.CREATE', 'calendar', 'create', false],
    ['calendar.?', 'calendar', '😀', true],
    ['calendar.*', 'calendar', 'two\nlines', true],
  ])('reads %s for %s.%s as %s', (tools, server, tool, matches) => {
    const policy = { default: 'deny', rules: [{ tools, action: 'allow' }] };
    expect(verdictOf(policy, server, tool).action).toBe(matches ? 'allow' : 'deny');
  });

  it('matches a rule of several globs by any of them', () => {
    const rules = [{ tools: ['a.*', 'b.read'], action: 'allow' }];
    expect(verdictOf({ rules }, 'b', 'read').action).toBe('allow');
    expect(verdictOf({ rules }, 'b', 'write').action).toBe('ask');
  });

  it('has a version that changes with its rules and with nothing else', () => {
    const version = (rules: unknown) => verdictOf({ rules }, 'x', 'y').policyVersion;
    expect(version([{ tools: 'a', action: 'allow' }])).toBe(version([{ action: 'allow', tools: 'a' }]));
    expect(version([{ tools: 'a', action: 'allow' }])).not.toBe(version([{ tools: 'a', action: 'deny' }]));
  });

  it.each([
    ['a rule without tools', { rules: [{ action: 'allow' }] }],
    ['an unknown action', { rules: [{ tools: 'a', action: 'maybe' }] }],
    ['an unknown key', { rules: [{ tools: 'a', action: 'allow', unless: 'never' }] }],
    ['an empty list of globs', { rules: [{ tools: [], action: 'allow' }] }],
  ])('refuses %s', (_what, policy) => {
    expect(policySchema.safeParse(policy).success).toBe(false);
  });
});

describe('a tool that its server listed after an admin last looked', () => {
  const verdict = (policy: unknown, { isNew = true } = {}) =>
    compilePolicy(policySchema.parse(policy))({ server: 'x', tool: 'read', arguments: {}, isNew });
  const rule = (tools: string | string[], more: object = {}) => ({
    rules: [{ name: 'it', tools, action: 'allow', ...more }],
  });

  it.each(['*', 'x.*', 'x.rea?', '*.read'])(
    'is not allowed by the wildcard %s, which allows others',
    (tools) => {
      expect(verdict(rule(tools))).toMatchObject({ action: 'ask', rule: 'default' });
      expect(verdict(rule(tools)).reason).toContain('This tool is new');
      expect(verdict(rule(tools), { isNew: false })).toMatchObject({ action: 'allow', reason: null });
    },
  );

  it('is allowed by its own name, also beside a wildcard, and where a rule is open to new tools', () => {
    expect(verdict(rule(['x.*', 'x.read'])).action).toBe('allow');
    expect(verdict(rule('x.*', { new_tools: 'allow' })).action).toBe('allow');
    expect(verdict({ default: 'deny', ...rule('x.*', { new_tools: 'allow' }) }).action).toBe('allow');
  });

  it('is asked about where the default allows', () => {
    expect(verdict({ default: 'allow' })).toMatchObject({ action: 'ask', rule: 'default' });
    expect(verdict({ default: 'allow' }, { isNew: false }).action).toBe('allow');
  });

  it('is denied and asked about by wildcards like any other', () => {
    const denied = { rules: [{ tools: 'x.*', action: 'deny', reason: 'closed' }] };
    expect(verdict(denied)).toMatchObject({ action: 'deny', reason: 'closed' });
    const asked = { rules: [{ tools: '*', action: 'ask', approvers: '@finance' }] };
    expect(verdict(asked)).toMatchObject({ action: 'ask', rule: 'rule 1', reason: null });
  });

  it('gets what the rules after the wildcard say', () => {
    const rules = [
      { tools: '*', action: 'allow' },
      { name: 'lead', tools: 'x.*', action: 'ask', approvers: '@lead' },
    ];
    expect(verdict({ rules })).toMatchObject({
      rule: 'lead',
      approval: { steps: [{ from: ['group:lead'] }] },
    });
  });

  it.each(['ask', 'deny'])('is nothing for a rule that would %s to say', (action) => {
    const policy = { rules: [{ tools: '*', action, new_tools: 'allow' }] };
    expect(policySchema.safeParse(policy).success).toBe(false);
  });
});

describe('a built-in rule', () => {
  const MINE = [{ name: 'own', tools: '*.mark_as_read', graph: 'inbox' }];
  const judge = (policy: object, graph?: string) =>
    compilePolicy(
      policySchema.parse(policy),
      MINE,
    )({
      ...{ server: 'mail', tool: 'mark_as_read', arguments: {} },
      graph,
    });

  it('of one graph allows its calls, and nobody else’s', () => {
    expect(judge({}, 'inbox')).toMatchObject({ action: 'allow', rule: 'own' });
    expect(judge({}).action).toBe('ask');
    expect(judge({}, 'other').action).toBe('ask');
  });

  it('of one graph doesn’t allow what the policy denies', () => {
    expect(judge({ rules: [{ tools: 'mail.*', action: 'deny' }] }, 'inbox').action).toBe('deny');
  });

  it('of one graph asks each time about what the policy allows, and keeps whom that asks and denies', () => {
    const floor = [{ name: 'own', tools: '*', except: ['*.get_*'], graph: 'inbox', action: 'ask' as const }];
    const judgeSend = (policy: object, { tool = 'send', graph = 'inbox' } = {}) =>
      compilePolicy(policySchema.parse(policy), floor)({ ...{ server: 'mail', tool, arguments: {} }, graph });
    const allowed = { default: 'allow', rules: [{ tools: '*', action: 'allow' }] };
    expect(judgeSend(allowed)).toMatchObject({ action: 'ask', rule: 'own', remember: 'never' });
    expect(judgeSend(allowed, { tool: 'get_mail' }).action).toBe('allow');
    expect(judgeSend(allowed, { graph: 'other' }).action).toBe('allow');
    const finance = { rules: [{ name: 'money', tools: '*', action: 'ask', approvers: '@finance' }] };
    expect(judgeSend(finance)).toMatchObject({
      ...{ action: 'ask', rule: 'money', remember: 'never' },
      approval: { steps: [{ from: ['group:finance'] }] },
    });
    expect(judgeSend({ rules: [{ tools: '*', action: 'deny' }] }).action).toBe('deny');
  });
});
