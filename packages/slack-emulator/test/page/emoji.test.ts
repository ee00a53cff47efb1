import { describe, expect, it } from 'vitest';
import { emojiFor, withEmoji } from '../../src/page/text/emoji.ts';

describe('emoji', () => {
  it.each([
    ['white_check_mark', '✅'],
    ['large_green_circle', '🟢'],
    ['thumbsup', '👍'],
  ])('know Slack’s name %s', (name, character) => {
    expect(emojiFor(name)).toBe(character);
  });

  it('leave a name that is none as it was written', () => {
    expect(withEmoji(':tada: at 12:30:45 :no_such_thing:')).toBe('🎉 at 12:30:45 :no_such_thing:');
  });
});
