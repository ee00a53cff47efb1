import { renderText } from '@countersign/slack-emulator/driver';
import { describe, expect, it } from 'vitest';
import { richText, section, text } from '../../../../src/slack/text/block-kit.ts';
import { listMessage } from '../../../../src/slack/text/list-message.ts';
import { SURFACES } from '../../../slack-check/surfaces.ts';

/** Slack's bound of `text` in `chat.update`, in characters. */
const MOST = 4000;
const MESSAGES = SURFACES.flatMap((surface) => (surface.kind === 'message' ? [surface] : []));
/** Cards of calls and lists of them say what and how it stands, and no more of it; pieces of long texts are cut. */
const OTHERS = MESSAGES.filter(
  ({ name }) => !/^call card|^list of several|^plan as|^long text|^answer/.test(name),
);

function wordsOf(shown: string): string[] {
  const unescaped = shown.replace(/&(?:lt|gt|amp);/g, ' ').toLowerCase();
  // Names of people stand as their ids in blocks.
  return (unescaped.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !/^u\d$/.test(word));
}

describe('what phones show and screen readers read', () => {
  it.each(MESSAGES)('is there for: $name', ({ payload }) => {
    expect(payload.text.trim()).not.toBe('');
    expect(payload.text.length).toBeLessThanOrEqual(MOST);
  });

  it.each(OTHERS)('says all that the message shows: $name', ({ payload }) => {
    // A button can't be pressed in a text, beside a line or below.
    const shown = payload.blocks
      .filter(({ type }) => type !== 'actions')
      .map((block) => ('accessory' in block ? { ...block, accessory: undefined } : block));
    const blocks = JSON.parse(JSON.stringify(shown));
    const said = new Set(wordsOf(payload.text));
    expect(wordsOf(renderText({ blocks })).filter((word) => !said.has(word))).toEqual([]);
  });

  it.each(MESSAGES.filter(({ name }) => /^call card/.test(name)))(
    'names the call, and asks or tells how it stands: $name',
    ({ name, payload }) => {
      const isWaiting = !/, (?!pending|too long|destructive|confirmed)/.test(name);
      expect(payload.text).toMatch(isWaiting ? /^Ana: approve .+\?/ : /^Create event .+: /);
    },
  );

  it('stays within what Slack takes, whatever has to be escaped', () => {
    const { text: said } = listMessage('All', [richText('a', section(text('<'.repeat(5_000))))]);
    expect(said.length).toBeLessThanOrEqual(MOST);
    expect(said).not.toContain('<');
  });
});
