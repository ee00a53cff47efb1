import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import type { Delegation, Grant } from '../../gate/types.ts';
import { describeFixedArguments } from '../../presentation/grant-text.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip } from '../../presentation/text/clip.ts';
import { formatInstant } from '../../presentation/text/time.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { actions, button, context, plain, richText, section, text } from '../text/block-kit.ts';
import type { PermissionsView } from '../views/types.ts';

const GRANTS_LISTED = 10;
/** The most delegations with an End button; an actions block holds 25. */
const ENDS_LISTED = 20;
/** The most lines, and characters in each, so that they fit one Slack text of 3,000. */
const LINES_LISTED = 10;
const DELEGATION_LENGTH = 280;
const LINE_LENGTH = 600;

/** The grants and delegations sections of App Home, in at most `room` blocks; what doesn't fit is counted. */
export function permissionBlocks(view: PermissionsView, room: number): KnownBlock[] {
  const away = delegationBlocks(view);
  return [...grantSection(view, room - away.length), ...away];
}

function grantSection(view: PermissionsView, room: number): KnownBlock[] {
  const { grants } = view;
  if (grants.length === 0) return [];
  // Two blocks are for the header and the count of those left out.
  const shown = grants.slice(0, Math.max(0, Math.min(GRANTS_LISTED, room - 2)));
  const left = grants.length - shown.length;
  return [
    { type: 'header', block_id: 'header:grants', text: plain('You have allowed', 150) },
    ...shown.map((grant) => grantBlock(grant, view)),
    ...(left > 0 ? [context('grants:more', `and ${left} more: /countersign grants`)] : []),
  ];
}

/** One grant, with Revoke while it is active. */
export function grantBlock(grant: Grant, view: PermissionsView): KnownBlock {
  const words = plain(clip(describeGrant(grant, view), LINE_LENGTH));
  const base = { type: 'section', block_id: `grant:${grant.grantId}`, text: words } as const;
  if (isOver(grant, view.now)) return base;
  return { ...base, accessory: button(ACTIONS.revokeGrant, 'Revoke', grant.grantId) };
}

function isOver({ ended, used, limit, until }: Grant, now: number): boolean {
  return ended !== null || used >= limit || until <= now;
}

function describeGrant(grant: Grant, view: PermissionsView): string {
  const { tool, used, limit } = grant;
  return [
    `${sentence(tool.title)} · ${sentence(tool.server)}`,
    describeFixedArguments(grant, view.schemas.get(grant.grantId) ?? {}, view.names),
    `${describePlace(grant, view)} · ${used} of ${limit} used · ${describeEnd(grant, view)}`,
  ].join('\n');
}

function describePlace({ place, by }: Grant, { channel }: PermissionsView): string {
  switch (place.kind) {
    case 'thread':
      return 'in one thread';
    case 'requester':
      return place.requester.id === by.id
        ? 'wherever you ask'
        : `wherever ${sentence(place.requester.name)} asks`;
    case 'channel':
      return `in ${channel(place.channel.split(':')[2] ?? '') ?? 'one channel'}`;
  }
}

const ENDED: Record<NonNullable<Grant['ended']>['why'], string> = {
  revoked: 'revoked',
  definition: 'over: the server has changed the tool',
  standing: 'over: you may not decide this any more',
};

function describeEnd({ ended, used, limit, until }: Grant, { now, timeZone }: PermissionsView): string {
  if (ended !== null) return ENDED[ended.why];
  if (used >= limit) return 'used up';
  return until <= now ? 'over' : `until ${formatInstant(until, timeZone)}`;
}

function delegationBlocks(view: PermissionsView): KnownBlock[] {
  const { mine, others } = view;
  const lines = delegationLines(view);
  const shown = lines.slice(0, LINES_LISTED).map((line) => clip(line, DELEGATION_LENGTH));
  const more = lines.length > shown.length ? [`… and ${lines.length - shown.length} more`] : [];
  const words =
    lines.length === 0 ? 'You decide for yourself, and for nobody else.' : [...shown, ...more].join('\n');
  const ends = mine
    .slice(0, ENDS_LISTED)
    .map(
      (one): ActionsBlockElement =>
        button(
          `${ACTIONS.endDelegation}.${one.delegationId}`,
          `End: ${sentence(one.to.name)}`,
          one.delegationId,
        ),
    );
  return [
    {
      type: 'header',
      block_id: 'header:away',
      text: plain(others.length + mine.length === 0 ? 'Out of office' : 'Standing in', 150),
    },
    richText('away', section(text(words))),
    actions('away:actions', button(ACTIONS.outOfOffice, 'Out of office…', 'new'), ...ends),
  ];
}

/** The delegations, one per line. */
export function delegationLines({ mine, others, now, timeZone }: PermissionsView): string[] {
  const time = ({ begins, until }: Delegation) =>
    `${begins > now ? `from ${formatInstant(begins, timeZone)} ` : ''}until ${formatInstant(until, timeZone)}`;
  const why = ({ reason }: Delegation) => (reason === null ? '' : ` (${sentence(reason)})`);
  return [
    ...mine.map((one) => `${sentence(one.to.name)} decides in your place ${time(one)}${why(one)}.`),
    ...others.map((one) => `You decide in ${sentence(one.from.name)}’s place ${time(one)}${why(one)}.`),
  ];
}
