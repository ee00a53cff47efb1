import { describe, expect, it } from 'vitest';
import { completionAt, readTyped, withMentions } from '../../src/page/conversation/compose-text.ts';
import { ANA, BOB, BOT, CAROL, WORKSPACE } from '../helpers/page-content.ts';

const people = [ANA, BOB, CAROL, BOT];
const mentioned = (text: string) => withMentions(text, people, WORKSPACE.channels);

describe('what is typed', () => {
  it.each([
    ['@app hello', `<@${BOT.id}> hello`],
    ['@App, hello', `<@${BOT.id}>, hello`],
    ['ask @Bob Berger please', `ask <@${BOB.id}> please`],
    ['(@bob)', `(<@${BOB.id}>)`],
    ['in #ops', 'in <#C0OPS00001>'],
  ])('turns the name in “%s” into a mention', (typed, sent) => {
    expect(mentioned(typed)).toBe(sent);
  });

  it.each(['mail bob@bob.example', '@bobby', 'a@carol', '@nobody', `<@${BOB.id}>`])(
    'leaves “%s” as it is',
    (typed) => {
      expect(mentioned(typed)).toBe(typed);
    },
  );

  it('is a command when it begins with a slash and a word', () => {
    expect(readTyped('/app help me\nplease')).toEqual({
      kind: 'command',
      command: '/app',
      text: 'help me\nplease',
    });
  });

  it.each(['/ no', '//x', 'see /app'])('is a message when it is “%s”', (typed) => {
    expect(readTyped(typed).kind).toBe('message');
  });
});

describe('suggestions', () => {
  const at = (text: string) => completionAt(text, text.length, WORKSPACE);

  it('offer the app first after a bare @', () => {
    expect(at('hello @')).toMatchObject({ from: 6, suggestions: [{ insert: '@app ' }, {}, {}, {}] });
  });

  it('find somebody by the second name too', () => {
    expect(at('@cos')?.suggestions.map(({ insert }) => insert)).toEqual(['@carol ']);
  });

  it('offer a command only at the start', () => {
    expect(at('/ap')?.suggestions.map(({ insert }) => insert)).toEqual(['/app ']);
    expect(at('see /cou')).toBeNull();
  });

  it('are none within an address', () => {
    expect(at('mail ana@b')).toBeNull();
  });
});
