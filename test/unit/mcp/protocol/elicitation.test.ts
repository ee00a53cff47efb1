import type { ElicitRequestParams } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import {
  blockedAsOwn,
  elicit,
  pageName,
  toNeed,
  toPageNeed,
} from '../../../../src/mcp/protocol/elicitation.ts';

/** A form of which the schema has so many characters as JSON. */
function formOf(length: number): ElicitRequestParams {
  const schema = (description: string) => ({
    type: 'object' as const,
    properties: { room: { type: 'string' as const, description } },
  });
  const requestedSchema = schema('x'.repeat(length - JSON.stringify(schema('')).length));
  return { mode: 'form', message: 'Which room?', requestedSchema };
}

/** A page whose address has so many characters. */
function pageOf(length: number, elicitationId = 'page 1') {
  const url = 'https://example.com/'.padEnd(length, 'x');
  return { mode: 'url' as const, message: 'Pay', url, elicitationId };
}

describe('what a server asks of a person', () => {
  it('is a form of 64,000 characters at most', () => {
    expect(toNeed(formOf(64_000), 'q1')).toMatchObject({ kind: 'form_elicitation', elicitationId: 'q1' });
    expect(toNeed(formOf(64_001), 'q1')).toBe('too_much');
  });

  it('is a form of five hundred choices at most', () => {
    const withChoices = (length: number): ElicitRequestParams => {
      const oneOf = Array.from({ length }, (_, at) => ({ const: `r${at}`, title: `Room ${at}` }));
      const properties = { room: { type: 'string' as const, oneOf } };
      return { mode: 'form', message: 'Which room?', requestedSchema: { type: 'object', properties } };
    };
    expect(toNeed(withChoices(500), 'q1')).toMatchObject({ kind: 'form_elicitation' });
    expect(toNeed(withChoices(501), 'q1')).toBe('too_much');
  });

  it('is a page whose address has 8,000 characters at most, during a call and before it', () => {
    expect(toNeed(pageOf(8_000), 'q1')).toMatchObject({ kind: 'form_elicitation', page: 'page 1' });
    expect(toPageNeed(pageOf(8_000))).toMatchObject({ kind: 'oauth_url', elicitationId: 'page 1' });
    expect(toNeed(pageOf(8_001), 'q1')).toBe('too_much');
    expect(toPageNeed(pageOf(8_001))).toBe('too_much');
  });

  it('is said in 4,000 characters at most', () => {
    const message = 'x'.repeat(4_001);
    expect(toNeed({ ...pageOf(50), message }, 'q1')).toMatchObject({ message: 'x'.repeat(4_000) });
    expect(toPageNeed({ ...pageOf(50), message })).toMatchObject({ message: 'x'.repeat(4_000) });
  });

  it('that is more than can be shown is put to nobody, and its server hears so', async () => {
    let asked = 0;
    const answer = elicit(formOf(64_001), 'q1', async () => {
      asked += 1;
      return { action: 'accept', content: {} };
    });
    await expect(answer).rejects.toMatchObject({
      code: -32602,
      message: 'This asks for more than can be shown; nobody was asked.',
    });
    expect(asked).toBe(0);
  });
});

describe('a server’s own name for a page', () => {
  it('has 500 characters at most', () => {
    expect(pageName('x'.repeat(500))).toBe('x'.repeat(500));
    expect(pageName('x'.repeat(501))).toBeNull();
  });

  it('that is longer is not kept: during a call the page goes on by hand, before it the page is not shown', () => {
    expect(toNeed(pageOf(50, 'x'.repeat(501)), 'q1')).not.toHaveProperty('page');
    expect(toPageNeed(pageOf(50, 'x'.repeat(501)))).toBe('too_much');
  });
});

it('what a server asks over somebody’s own sign-in before it begins is theirs, also what it asks after the first', () => {
  const need = (elicitationId: string) => ({
    ...{ kind: 'form_elicitation' as const, elicitationId, message: 'Drop it?', requestedSchema: {} },
  });
  const asked = ['q1', 'q2'].map((key) => ({ key, need: need(key) }));
  const blocked = { need: need('q1'), input: { requestState: null, asked, answers: {}, rounds: 1 } };
  const own = blockedAsOwn(blocked);
  expect([own.need, ...own.input.asked.map((one) => one.need)]).toMatchObject(
    Array.from({ length: 3 }, () => ({ isOwn: true })),
  );
  const page = { kind: 'oauth_url' as const, elicitationId: 'p1', url: 'https://x.test/', message: 'Pay' };
  expect(blockedAsOwn({ need: page })).toEqual({ need: page });
});
