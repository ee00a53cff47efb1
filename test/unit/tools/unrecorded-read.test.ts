import { describe, expect, it } from 'vitest';
import { callDigest } from '../../../src/gate/call/digest.ts';
import type { Outcome } from '../../../src/gate/call/outcome.ts';
import type { SendCall, SendResult } from '../../../src/tools/ports.ts';
import { ofOwnAccount, success } from '../../helpers/fake-hub.ts';
import { ana, bob } from '../../helpers/people.ts';
import { readingTool, testReads } from '../../helpers/unrecorded-reads.ts';

const LIST = { server: 'mail', tool: 'list_mail', arguments: { limit: 3 }, owner: ana };
const LISTED: SendResult = {
  kind: 'ended',
  outcome: { status: 'succeeded', content: [], structured: { mails: [] } },
};
const NOT_SENT: SendCall = async () => {
  throw new Error('was sent');
};
const TOOLS = [
  readingTool('mail', 'list_mail'),
  readingTool('mail', 'list_closed'),
  readingTool('mail', 'list_and_mark', { readOnly: false }),
  readingTool('mail', 'get_mail'),
  readingTool('mail', 'list_held', { unavailableReason: 'Somebody has to look at it first.' }),
  readingTool('mail', 'list_new', { isNew: true }),
  readingTool('foreign', 'list_mail'),
];

function open(send: SendCall = async () => LISTED, more: Partial<Parameters<typeof testReads>[0]> = {}) {
  return testReads({ send, offer: async () => ({ tools: TOOLS }), ...more });
}

describe('an unrecorded read', () => {
  it('is sent as its owner, by the definition that was looked at, and says what was asked as a digest', async () => {
    const sent: Parameters<SendCall>[0][] = [];
    const { read } = open(async (call) => {
      sent.push(call);
      return LISTED;
    });
    const asked = { server: 'mail', definitionHash: 'v1', arguments: { limit: 3 } };
    const digest = callDigest({ ...asked, tool: 'list_mail' });
    expect(await read(LIST)).toEqual({ structured: { mails: [] }, account: null, digest });
    expect(sent).toEqual([{ ...asked, name: 'list_mail', person: ana }]);
  });

  it.each([
    ['a tool that writes, whatever the policy says', 'list_and_mark', 'not_allowed'],
    ['a tool that asks somebody', 'get_mail', 'not_allowed'],
    ['a new tool that is allowed by a wildcard only', 'list_new', 'not_allowed'],
    ['a tool that the operator has disabled', 'list_closed', 'not_allowed'],
    ['a tool that somebody has to look at first', 'list_held', 'silent'],
    ['a tool that its owner is not offered', 'list_others', 'gone'],
  ])('sends nothing by %s', async (_, tool, why) => {
    expect(await open(NOT_SENT).read({ ...LIST, tool })).toEqual({ why, said: null });
  });

  it('sends nothing to a server that does not come with the program: what it says of its tools may not be so', async () => {
    expect(await open(NOT_SENT).read({ ...LIST, server: 'foreign' })).toMatchObject({ why: 'gone' });
  });

  it('sends nothing where a rule wants approval, or denies, by the arguments that there are', async () => {
    for (const action of ['ask', 'deny']) {
      const rules = [
        { name: 'few', tools: 'mail.list_mail', when: { limit: { over: 2 } }, action },
        { name: 'reading', tools: 'mail.*', action: 'allow' },
      ];
      const { read } = open(NOT_SENT, { rules });
      expect(await read(LIST)).toMatchObject({ why: 'not_allowed' });
    }
  });

  it('is silent, and not gone, where no tools of a server are known', async () => {
    const { read } = open(NOT_SENT, { offer: async () => ({ tools: [] }) });
    expect(await read(LIST)).toMatchObject({ why: 'silent' });
  });

  it('has a place among its owner’s calls, which it waits for, and counts against nobody’s day', async () => {
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<SendResult>();
    const sent: string[] = [];
    const { read, limits } = open(async ({ person }) => {
      sent.push(person?.name ?? '');
      return goesOn;
    });
    const [first, second] = [read(LIST), read(LIST)];
    const others = read({ ...LIST, owner: bob });
    await expect.poll(() => sent).toEqual(['Ana', 'Bob']);
    goOn(LISTED);
    await Promise.all([first, second, others]);
    expect(sent).toEqual(['Ana', 'Bob', 'Ana']);
    expect(await limits.uses({ kind: 'person', owner: ana.id, channel: null })).toMatchObject([
      { measure: 'calls', used: 0 },
    ]);
  });

  it('is given up, also while it waits for its turn', async () => {
    const { read } = open(
      (_call, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const stop = new AbortController();
    const asked = { ...LIST, signal: stop.signal };
    const both = [read(asked), read(asked)];
    stop.abort(new Error('given up'));
    const givenUp = { why: 'silent', said: 'given up' };
    expect(await Promise.all(both)).toEqual([givenUp, givenUp]);
  });

  const asTool: Outcome = {
    ...{ status: 'failed', message: 'Nothing like that.' },
    content: [{ type: 'text', text: 'Nothing like that.' }],
  };
  const need = {
    kind: 'oauth_url',
    elicitationId: 'e1',
    url: 'https://sign.in/',
    message: 'Sign in.',
  } as const;
  it.each<[string, SendResult, string]>([
    ['refused where the tool says so', { kind: 'ended', outcome: asTool }, 'refused'],
    ['refused where an answer is words only', { kind: 'ended', outcome: success('hello') }, 'refused'],
    ['silent where the call did not get to the tool', ofOwnAccount('It is down.'), 'silent'],
    [
      'silent where the same may succeed later',
      { kind: 'ended', outcome: asTool, retry: { afterMs: null, withinMs: 1 } },
      'silent',
    ],
    [
      'silent where no answer came',
      { kind: 'ended', outcome: { status: 'in_doubt', message: '' } },
      'silent',
    ],
    ['not connected where a sign-in comes first', { kind: 'blocked', need }, 'not_connected'],
    [
      'silent where the tool has changed',
      { kind: 'redefined', tool: readingTool('mail', 'list_mail') },
      'silent',
    ],
  ])('is %s', async (_, result, why) => {
    const read = await open(async () => result).read(LIST);
    expect(read).toMatchObject({ why });
    expect(read).not.toHaveProperty('isImpossible');
  });

  it('is of what isn’t there only where the tool says so', async () => {
    const result: SendResult = { kind: 'ended', outcome: { ...asTool, isImpossible: true } };
    expect(await open(async () => result).read(LIST)).toMatchObject({ why: 'refused', isImpossible: true });
  });
});
