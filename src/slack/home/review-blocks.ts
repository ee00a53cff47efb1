import type { KnownBlock } from '@slack/types';
import type { HeldTools } from '../../mcp/types.ts';
import { ACTIONS } from '../cards/actions.ts';
import { sentence } from '../cards/outcome-words.ts';
import { requestValue } from '../cards/references.ts';
import {
  actions,
  bold,
  button,
  context,
  plain,
  preformatted,
  richText,
  section,
  text,
} from '../text/elements.ts';
import { visible } from '../text/visible.ts';

/** Servers that are listed; the rest is counted. */
const LISTED = 3;
/** Characters of changes that are shown of one server: what is longer cannot be read here, nor accepted. */
const SHOWN = 2_800;

/** Tools that wait until an admin has reviewed them, with what is different: for admins. */
export function reviewBlocks(servers: readonly HeldTools[]): KnownBlock[] {
  if (servers.length === 0) return [];
  const count = servers.reduce((sum, { tools }) => sum + tools.length, 0);
  const more = servers.length - LISTED;
  return [
    { type: 'header', block_id: 'header:reviews', text: plain(`Tools to review (${count})`, 150) },
    ...servers.slice(0, LISTED).flatMap(serverBlocks),
    ...(more > 0
      ? [context('reviews:more', `And of ${more} more servers: npm run servers:review lists all.`)]
      : []),
  ];
}

function serverBlocks({ server, tools }: HeldTools, index: number): KnownBlock[] {
  const changes = visible(tools.flatMap(linesOf).join('\n'));
  const title = section(
    bold(sentence(server)),
    text(` offers what nobody has reviewed; it is not used until then.`),
  );
  if (changes.length > SHOWN) {
    const how = text('\nIt is too long to be read here: npm run servers:review shows it.');
    return [richText(`review:${index}`, title, section(how))];
  }
  const value = requestValue(
    server,
    tools.map(({ hash }) => hash),
  );
  return [
    richText(`review:${index}`, title, preformatted(changes)),
    actions(`review:${index}:accept`, button(ACTIONS.acceptTools, 'Accept', value, { style: 'primary' })),
  ];
}

function linesOf({ name, isNew, changes }: HeldTools['tools'][number]): readonly string[] {
  return [`${oneLine(name)}, ${isNew ? 'new' : 'changed'}`, ...changes.map((line) => `  ${line}`)];
}

/** A name must not pass for lines of the review: what breaks or shifts a line is written out. */
function oneLine(name: string): string {
  return name.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}
