import { describe, expect, it } from 'vitest';
import {
  warnOfForwardedLinks,
  warnOfMissingSignIn,
  warnOfUnreachablePrograms,
} from '../../../src/app/compose-web-decisions.ts';
import { readEnv } from '../../../src/config/env.ts';
import { policySchema } from '../../../src/gate/policy/schema.ts';

const SLACK = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };
const CLIENT = { SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 's' };
const PUBLIC = { PUBLIC_URL: 'https://countersign.test' };
const policy = policySchema.parse({
  rules: [
    { name: 'money', tools: 'bank.*', action: 'ask', decide_on: 'web' },
    { name: 'reads', tools: '*.list_*', action: 'allow' },
  ],
});

function warnings(variables: Record<string, string>, of = policy): string[] {
  const said: string[] = [];
  warnOfMissingSignIn(of, readEnv(variables), { warn: (line) => void said.push(line) });
  return said;
}

describe('where the policy has calls decided on the web', () => {
  it.each([SLACK, { ...SLACK, ...CLIENT }])(
    'the start says that nobody reaches the page: %j',
    (variables) => {
      const [line = ''] = warnings(variables);
      expect(line).toContain('Nobody can approve calls under "money"');
      expect(line).toContain('needs PUBLIC_URL.');
    },
  );

  it('the start says what a sign-in by a link is worth, where there is no other', () => {
    const [line = ''] = warnings({ ...SLACK, ...PUBLIC });
    expect(line).toContain('worth no more than a click');
    expect(line).toContain('set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET.');
  });

  it('nothing is missing where all is set, or the local workspace stands in for Slack', () => {
    expect(warnings({ ...SLACK, ...CLIENT, ...PUBLIC })).toEqual([]);
    expect(warnings({})).toEqual([]);
    expect(warnings(SLACK, policySchema.parse({}))).toEqual([]);
  });
});

describe('where people connect servers with accounts of their own', () => {
  const told = (variables: Record<string, string>, state: 'up' | 'sign_in_required') => {
    const said: string[] = [];
    const log = { warn: (line: string) => void said.push(line) };
    warnOfForwardedLinks([{ name: 'drive', state }], readEnv(variables), log);
    return said;
  };

  it('the start says what is missing to refuse a link to whom it was not made for', () => {
    const [line = ''] = told(SLACK, 'sign_in_required');
    expect(line).toContain('Nobody checks who opens a link to connect drive:');
    expect(line).toContain('set PUBLIC_URL, SLACK_CLIENT_ID, SLACK_CLIENT_SECRET.');
    expect(told({ ...SLACK, ...PUBLIC }, 'sign_in_required')).toHaveLength(1);
  });

  it('nothing is missing where all is set, nobody signs in, or the local workspace stands in for Slack', () => {
    expect(told({ ...SLACK, ...CLIENT, ...PUBLIC }, 'sign_in_required')).toEqual([]);
    expect(told(SLACK, 'up')).toEqual([]);
    expect(told({}, 'sign_in_required')).toEqual([]);
  });
});

describe('where people may connect programs of their own', () => {
  const told = (variables: Record<string, string>, settings: { tools: string[] } | undefined) => {
    const said: string[] = [];
    const personal = settings && { ...settings, channel: null, holdMs: 1 };
    const log = { warn: (line: string) => void said.push(line) };
    warnOfUnreachablePrograms({ personal_programs: personal }, readEnv(variables), log);
    return said;
  };
  const tools = { tools: ['*'] };

  it('the start says what is missing to sign in', () => {
    expect(told(SLACK, tools)).toEqual([
      'Nobody can connect programs to /mcp by signing in, although personal_programs is set: that needs PUBLIC_URL, SLACK_CLIENT_ID, SLACK_CLIENT_SECRET.',
    ]);
  });

  it('nothing is missing where all is set, nobody may, or the local workspace stands in for Slack', () => {
    expect(told({ ...SLACK, ...CLIENT, ...PUBLIC }, tools)).toEqual([]);
    expect(told(SLACK, undefined)).toEqual([]);
    expect(told({}, tools)).toEqual([]);
  });
});
