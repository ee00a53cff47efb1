import { expect, it } from 'vitest';
import { incomingText } from '../../../../src/slack/handlers/message-text.ts';
import { createDirectory } from '../../../../src/slack/people/directory.ts';
import { BOT, createFakeApi } from '../../../helpers/slack-app.ts';

const directory = createDirectory(createFakeApi().client, Date.now, 'UTC');

it.each([
  [`<@${BOT}> move my 3pm`, 'move my 3pm'],
  [`hey <@${BOT}|countersign>, hello`, 'hey , hello'],
  ['ask <@U2> and <@U9>', 'ask @Bob (U2) and @U9 (U9)'],
  ['in <#C1|general> and <#C2|>', 'in #general (C1) and C2'],
  ['see <https://a.test/x?y=1&amp;z=2|the page>', 'see https://a.test/x?y=1&z=2'],
  ['write <mailto:a@b.test|a@b.test>', 'write mailto:a@b.test'],
  ['<!channel> look', '@channel look'],
  ['1 &lt; 2 &amp;&amp; 3 &gt; 2', '1 < 2 && 3 > 2'],
  ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
  ['  \n ', ''],
])('“%s” is read as “%s”', async (raw, expected) => {
  expect(await incomingText(raw, BOT, directory)).toBe(expected);
});
