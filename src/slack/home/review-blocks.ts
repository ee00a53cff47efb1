import type { KnownBlock } from '@slack/types';
import type { HeldTools } from '../../mcp/ports.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { heldToolNames, MOST_READ, reviewText } from '../../presentation/tool-review-text.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { reviewValue } from '../cards/action-values.ts';
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
} from '../text/block-kit.ts';
import { REVIEWS } from '../texts/home.ts';

/** The most servers listed; the rest is counted. */
const LISTED = 3;
/** Characters of one server's changes; longer ones are read in a modal. */
const SHOWN = 2_800;

/** The tools that wait for an admin's review, with their changes: for admins. */
export function reviewBlocks(servers: readonly HeldTools[]): KnownBlock[] {
  if (servers.length === 0) return [];
  const count = servers.reduce((sum, { tools }) => sum + new Set(tools.map(({ name }) => name)).size, 0);
  const more = servers.length - LISTED;
  return [
    { type: 'header', block_id: 'header:reviews', text: plain(REVIEWS.title(count), 150) },
    ...servers.slice(0, LISTED).flatMap(serverBlocks),
    ...(more > 0 ? [context('reviews:more', REVIEWS.more(more))] : []),
  ];
}

function serverBlocks(held: HeldTools, index: number): KnownBlock[] {
  const changes = reviewText(held);
  const title = section(bold(sentence(held.server)), text(offer(held)));
  const value = reviewValue(held);
  if (changes.length > MOST_READ) {
    const how = text(REVIEWS.tooLong);
    return [richText(`review:${index}`, title, section(how))];
  }
  if (changes.length > SHOWN) {
    const review = button(ACTIONS.reviewTools, REVIEWS.review, value, { style: 'primary' });
    return [richText(`review:${index}`, title), actions(`review:${index}:open`, review)];
  }
  return [
    richText(`review:${index}`, title, preformatted(changes)),
    actions(
      `review:${index}:accept`,
      button(ACTIONS.acceptTools, REVIEWS.accept, value, { style: 'primary' }),
    ),
  ];
}

function offer({ server, tools }: HeldTools): string {
  const [used, unused] = [true, false].map((isUsed) =>
    heldToolNames({ server, tools: tools.filter((tool) => (tool.isUsed ?? false) === isUsed) }),
  );
  return `${unused ? REVIEWS.offers(unused) : ''}${used ? REVIEWS.offersNew(used) : ''}`;
}
