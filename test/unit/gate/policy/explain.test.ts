import { describe, expect, it } from 'vitest';
import { describeRules, explainVerdict } from '../../../../src/gate/policy/explain.ts';
import { findUnreachableRules } from '../../../../src/gate/policy/lint.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const policy = policySchema.parse({
  rules: [
    {
      name: 'small',
      tools: 'pay.*',
      when: { amount: { at_most: 100 }, 'to[*].email': { matches: '*@example.com' } },
      action: 'allow',
    },
    { name: 'reading', tools: 'calendar.list_*', action: 'allow' },
    {
      name: 'large',
      tools: 'pay.*',
      when: {
        any_of: [{ amount: { over: 1_000 } }, { currency: { not_equals: 'EUR' }, amount: { over: 500 } }],
      },
      action: 'ask',
      approvers: {
        sequence: [{ from: '@lead' }, { from: ['@finance', 'user:U1'], quorum: 2 }],
        exclude_requester: true,
        rejections: 2,
      },
      reason: 'the books',
    },
    { tools: 'pay.*', when: { not: { note: { exists: true } } }, action: 'deny' },
  ],
});
const explained = (args: JsonObject) =>
  explainVerdict(policy, { server: 'pay', tool: 'send', arguments: args }).join('\n');

describe('an explanation', () => {
  it('names the rule that applies, and leaves later ones unread', () => {
    expect(explained({ amount: 5, to: [{ email: 'a@example.com' }] })).toBe(`\
pay.send {"amount":5,"to":[{"email":"a@example.com"}]}

1. small (allow): applies
   amount at_most 100: met
     amount is 5
   to[*].email matches "*@example.com": met
     to[0].email is "a@example.com"
2. reading (allow): is about other tools
3. large (ask): is not looked at: a rule before it decides
4. rule 4 (deny): is not looked at: a rule before it decides

Runs without approval (rule "small")`);
  });

  it('says which condition failed with which value, and who must approve', () => {
    expect(explained({ amount: 2_000, currency: 'EUR', to: [] })).toBe(`\
pay.send {"amount":2000,"currency":"EUR","to":[]}

1. small (allow): does not apply
   amount at_most 100: not met
     amount is 2000
   to[*].email matches "*@example.com": not met; there is no item
2. reading (allow): is about other tools
3. large (ask): applies
   any_of: met
     amount over 1000: met
       amount is 2000
     all of: not met
       currency not_equals "EUR": not met
         currency is "EUR"
       amount over 500: met
         amount is 2000
4. rule 4 (deny): is not looked at: a rule before it decides

Needs approval (rule "large")
Must approve: group:lead, then 2 of group:finance, user:U1; whoever asked may not; it takes 2 to reject
Reason: the books`);
  });

  it('says what is unclear, and why, and that the stricter way is taken', () => {
    const to = [{ email: 'a@example.com' }, { email: 'eve@evil.test' }, {}, 'bob'];
    expect(explained({ amount: '1.000', to, note: 'x' })).toBe(`\
pay.send {"amount":"1.000","to":[{"email":"a@example.com"},{"email":"eve@evil.test"},{},"bob"],"note":"x"}

1. small (allow): may apply: that is unclear
   amount at_most 100: unclear
     amount is "1.000"; this wants a plain number
   to[*].email matches "*@example.com": unclear
     to[0].email is "a@example.com": met
     to[1].email is "eve@evil.test": not met
     to[2].email is not there; no default says what the tool takes then: unclear
     to[3].email is not there; to[3] is not an object: unclear
2. reading (allow): is about other tools
3. large (ask): may apply: that is unclear
   any_of: unclear
     amount over 1000: unclear
       amount is "1.000"; this wants a plain number
     all of: unclear
       currency not_equals "EUR": unclear
         currency is not there; no default says what the tool takes then
       amount over 500: unclear
         amount is "1.000"; this wants a plain number
4. rule 4 (deny): does not apply
   not: not met
     note exists: met
       note is "x"
default (ask): no rule decides for certain

Needs approval (rule "large", which may match, so it is asked about)
Must approve: group:lead, then 2 of group:finance, user:U1; whoever asked may not
Reason: the books`);
  });

  it('says that a rule may match, so that the call is denied, and what of its name differs', () => {
    const careful = policySchema.parse({
      rules: [
        {
          name: 'nobody outside',
          tools: 'mail.send',
          when: { to: { matches: '*@evil.test' } },
          action: 'deny',
        },
        { name: 'no deletions', tools: 'mail.delete_*', action: 'deny' },
      ],
    });
    const lines = (tool: string, args: JsonObject = {}) =>
      explainVerdict(careful, { server: 'mail', tool, arguments: args }).join('\n');
    expect(lines('send', { to: 'Eve <x@evil.test>' })).toContain(`\
     to is "Eve <x@evil.test>"; this wants a text that reads in one way only
2. no deletions (deny): is about other tools
default (ask): no rule decides for certain

Not allowed (rule "nobody outside", which may match, so it is denied)`);
    expect(lines('Delete_all')).toContain(`\
2. no deletions (deny): may apply: that is unclear
   mail.Delete_all may be one of its tools: only case or what joins the words differs
default (ask): no rule decides for certain

Not allowed (rule "no deletions", which may match, so it is denied)`);
  });

  it('says that a wildcard allows no new tool', () => {
    const open = policySchema.parse({
      default: 'allow',
      rules: [{ name: 'all', tools: '*', action: 'allow' }],
    });
    const call = { server: 'mail', tool: 'send', arguments: {}, isNew: true };
    expect(explainVerdict(open, call).join('\n')).toBe(`\
mail.send {}

1. all (allow): does not apply: the tool is new, and its wildcards mean tools that an admin has looked at
default (ask, not allow, as the tool is new): no rule decides for certain

Needs approval (no rule matches)
Must approve: requester
Reason: This tool is new: no admin has looked at it since its server listed it, so no wildcard allows it.`);
  });

  it('says who approves where no rule speaks of it', () => {
    const words = explainVerdict(policySchema.parse({}), { server: 'a', tool: 'b', arguments: {} });
    expect(words.slice(-2)).toEqual(['Needs approval (no rule matches)', 'Must approve: requester']);
  });

  it('says what whoever approves must type', () => {
    const rules = [{ tools: '*', action: 'ask', confirm_by_typing: 'amount' }];
    const words = explainVerdict(policySchema.parse({ rules }), { server: 'a', tool: 'b', arguments: {} });
    expect(words.at(-1)).toBe('Must type: the value of amount');
  });

  it('says that it is approved on the web, in the explanation and among the rules', () => {
    const policy = policySchema.parse({ rules: [{ tools: '*', action: 'ask', decide_on: 'web' }] });
    const words = explainVerdict(policy, { server: 'a', tool: 'b', arguments: {} });
    expect(words.at(-1)).toBe('Approved where: on the web page, after a sign-in');
    expect(describeRules(policy)[0]).toContain('; on the web page, after a sign-in');
  });

  it('cuts what is long, and shows what would hide or move the cursor', () => {
    const to = Array.from({ length: 9 }, () => ({ email: '\u202e\u001b[2J\u009b' }));
    const words = explained({ amount: 1, to, long: 'x'.repeat(5_000) });
    expect(words).toContain('to[0].email is "\\u{202e}\\u001b[2J\\u{9b}"');
    expect(words).toContain('and 4 more');
    expect(words).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
    expect(Math.max(...words.split('\n').map((line) => line.length))).toBeLessThan(200);
  });
});

describe('an explanation of a call by which mails are answered', () => {
  const last = (tool: string, action: 'allow' | 'ask' | 'deny') => {
    const rules = [{ name: 'all', tools: '*', action }];
    const call = { server: 'mail', tool, arguments: {} };
    return explainVerdict(policySchema.parse({ rules }), call).slice(4).join('\n');
  };
  const waits =
    'Where a watched mailbox’s mail is answered: needs approval each time, whatever the policy or a grant allows';

  it.each(['reply_to_message', 'create_event'])('says that %s always waits there', (tool) => {
    expect(last(tool, 'allow')).toBe(`Runs without approval (rule "all")\n\n${waits}`);
    expect(last(tool, 'ask')).toContain(waits);
  });

  it('says that a mail is marked as read there', () => {
    expect(last('mark_as_read', 'ask')).toMatch(
      /\n\nWhere a watched mailbox’s mail is answered: runs without approval, once all drafts are decided$/,
    );
  });

  it.each([
    ['reply_to_message', 'deny'],
    ['mark_as_read', 'deny'],
    ['send_message', 'allow'],
    ['get_message', 'allow'],
  ] as const)('says nothing of mailboxes of %s, where the policy would %s it', (tool, action) => {
    expect(last(tool, action)).not.toContain('mailbox');
  });
});

describe('a rule that never applies', () => {
  const found = (...rules: object[]) =>
    findUnreachableRules(policySchema.parse({ rules: rules.map((rule) => ({ action: 'ask', ...rule })) }));
  const when = { amount: { over: 1 } };

  it.each([
    ['the same tools', [{ tools: 'pay.send' }, { tools: 'pay.send' }], [[1, 0]]],
    ['a wider glob', [{ tools: 'pay.*' }, { tools: ['pay.send', 'pay.list_*'] }], [[1, 0]]],
    ['several rules together', [{ tools: 'a.*' }, { tools: 'b.*' }, { tools: ['b.x', 'a.x'] }], [[2, 0]]],
    ['a later one', [{ tools: 'pay.send', when }, { tools: '*' }, { tools: '*.?' }], [[2, 1]]],
    ['one without conditions, whatever its own', [{ tools: '*' }, { tools: 'pay.send', when }], [[1, 0]]],
  ])('is found behind %s', (_what, rules, expected) => {
    expect(found(...rules)).toEqual(expected.map(([rule, decidedBy]) => ({ rule, decidedBy })));
  });

  it.each([
    ['one with conditions', [{ tools: '*', when }, { tools: 'pay.send' }]],
    ['a narrower glob', [{ tools: 'pay.send' }, { tools: 'pay.*' }]],
    ['one that covers only some of its tools', [{ tools: 'a.*' }, { tools: ['a.x', 'b.x'] }]],
    ['a ? where it has a *', [{ tools: 'a.?' }, { tools: 'a.*' }]],
    ['a rule after it', [{ tools: 'a.x' }, { tools: '*' }]],
    ['a glob that only looks like a pattern', [{ tools: 'a.+' }, { tools: 'a.a' }]],
  ])('is not seen in one behind %s', (_what, rules) => {
    expect(found(...rules)).toEqual([]);
  });
});
