import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import type { Delegation, Grant } from '../../gate/types.ts';
import { describeFixedArguments } from '../../presentation/grant-text.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip } from '../../presentation/text/clip.ts';
import { formatInstant } from '../../presentation/text/time.ts';
import { nameTool } from '../../presentation/text/title.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { actions, button, context, plain, richText, section, text } from '../text/block-kit.ts';
import { isolated } from '../text/isolate.ts';
import { AWAY, GRANT_LIST } from '../texts/home.ts';
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
    { type: 'header', block_id: 'header:grants', text: plain(GRANT_LIST.title, 150) },
    ...shown.map((grant) => grantBlock(grant, view)),
    ...(left > 0 ? [context('grants:more', GRANT_LIST.more(left))] : []),
  ];
}

/** One grant, with Revoke while it is active. */
export function grantBlock(grant: Grant, view: PermissionsView): KnownBlock {
  const words = plain(clip(describeGrant(grant, view), LINE_LENGTH));
  const base = { type: 'section', block_id: `grant:${grant.grantId}`, text: words } as const;
  if (isOver(grant, view.now)) return base;
  return { ...base, accessory: button(ACTIONS.revokeGrant, GRANT_LIST.revoke, grant.grantId) };
}

function isOver({ ended, used, limit, until }: Grant, now: number): boolean {
  return ended !== null || used >= limit || until <= now;
}

function describeGrant(grant: Grant, view: PermissionsView): string {
  const { tool, used, limit } = grant;
  return [
    nameTool(tool),
    describeFixedArguments(grant, view.tools.get(grant.grantId) ?? { inputSchema: {} }, view.names),
    GRANT_LIST.use({ place: describePlace(grant, view), used, limit, end: describeEnd(grant, view) }),
  ].join('\n');
}

function describePlace({ place, by }: Grant, { channel }: PermissionsView): string {
  switch (place.kind) {
    case 'thread':
      return GRANT_LIST.inOneThread;
    case 'requester':
      return place.requester.id === by.id
        ? GRANT_LIST.whereverYouAsk
        : GRANT_LIST.whereverTheyAsk(sentence(place.requester.name));
    case 'channel':
      return GRANT_LIST.inChannel(
        isolated(channel(place.channel.split(':')[2] ?? '') ?? GRANT_LIST.oneChannel),
      );
  }
}

const ENDED: Record<NonNullable<Grant['ended']>['why'], string> = {
  revoked: GRANT_LIST.revoked,
  definition: GRANT_LIST.toolChanged,
  standing: GRANT_LIST.notAllowed,
  unproven: GRANT_LIST.unproven,
};

function describeEnd({ ended, used, limit, until }: Grant, { now, timeZone }: PermissionsView): string {
  if (ended !== null) return ENDED[ended.why];
  if (used >= limit) return GRANT_LIST.usedUp;
  return until <= now ? GRANT_LIST.over : GRANT_LIST.until(formatInstant(until, timeZone));
}

function delegationBlocks(view: PermissionsView): KnownBlock[] {
  const { mine, others } = view;
  const lines = delegationLines(view);
  const shown = lines.slice(0, LINES_LISTED).map((line) => clip(line, DELEGATION_LENGTH));
  const more = lines.length > shown.length ? [AWAY.andMore(lines.length - shown.length)] : [];
  const words = lines.length === 0 ? AWAY.nobody : [...shown, ...more].join('\n');
  const ends = mine
    .slice(0, ENDS_LISTED)
    .map(
      (one): ActionsBlockElement =>
        button(
          `${ACTIONS.endDelegation}.${one.delegationId}`,
          AWAY.end(sentence(one.to.name)),
          one.delegationId,
        ),
    );
  return [
    {
      type: 'header',
      block_id: 'header:away',
      text: plain(others.length + mine.length === 0 ? AWAY.outOfOffice : AWAY.standingIn, 150),
    },
    richText('away', section(text(words))),
    actions('away:actions', button(ACTIONS.outOfOffice, AWAY.open, 'new'), ...ends),
  ];
}

/** The delegations, one per line. */
export function delegationLines({ mine, others, now, timeZone }: PermissionsView): string[] {
  const time = ({ begins, until }: Delegation) =>
    `${begins > now ? AWAY.from(formatInstant(begins, timeZone)) : ''}${AWAY.until(formatInstant(until, timeZone))}`;
  const why = ({ reason }: Delegation) => (reason === null ? '' : AWAY.because(sentence(reason)));
  return [
    ...mine.map((one) => AWAY.mine(sentence(one.to.name), `${time(one)}${why(one)}`)),
    ...others.map((one) => AWAY.others(sentence(one.from.name), `${time(one)}${why(one)}`)),
  ];
}
