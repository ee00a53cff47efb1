import { describe, expect, it } from 'vitest';
import { rulesBeyond } from '../../../../src/slack/inbox/rule-lines.ts';

describe('a rule that asks for what no rule does', () => {
  it.each([
    ['forward everything to my boss', 'forwards mails'],
    ['Invoices: please forward to accounting', 'forwards mails'],
    ['Bills should be forwarded to Bob', 'forwards mails'],
    ['call me', 'calls or texts anybody'],
    ['Mails from my boss: text me', 'calls or texts anybody'],
    ['Delete newsletters!', 'deletes mails'],
    ['Spam: delete', 'deletes mails'],
    ['Newsletters: ignore and archive them', 'moves, archives or labels mails'],
    ['Mark all newsletters as read', 'marks mails'],
    ['I want you to unsubscribe from adverts', 'blocks senders, or unsubscribes'],
    ['Send my boss a summary', 'sends anything'],
    ['Contracts: print', 'does anything with mails elsewhere'],
  ])('is said to be one, with what rules can do: %s', (rule, does) => {
    const [said, ...more] = rulesBeyond(`Invoices: tell me\n${rule}`);
    expect(said).toContain(`Rule 2 can’t be followed as it stands: “${rule}”. No rule ${does}`);
    expect(said).toContain('such mails are ignored, listed or answered');
    expect(more).toEqual([]);
  });

  it.each([
    'Newsletters: ignore',
    'Forwarded mails: ignore',
    'Archive: tell me',
    'Mails about phone calls: tell me',
    'call for papers: ignore',
    'Never delete mails of my boss',
    'Customers: send them a reply',
    'send an answer to whoever asks for a price',
    'answer mails from my boss',
    'Mails that say “delete my account”: tell me',
    'Mark Miller: answer',
    'Mails to archive@example.com: ignore',
    'Text Corp: tell me',
  ])('isn’t one that says what happens with which mails: %s', (rule) => {
    expect(rulesBeyond(rule)).toEqual([]);
  });

  it('is said of a few, where there are many', () => {
    expect(rulesBeyond('call me\n'.repeat(40))).toHaveLength(6);
  });

  it('takes no longer where it is long', () => {
    expect(rulesBeyond(`${'and '.repeat(900)}forwar`)).toEqual([]);
  });
});
