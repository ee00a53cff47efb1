import type { PeopleDirectory, Standing } from '../../../gate/types.ts';
import type { Membership, Whereabouts } from '../../../knowledge/ports.ts';
import type { SlackConnection } from '../../../slack/index.ts';

/** Guests are accounts that the workspace's own admins made. */
const MEMBERSHIPS: Readonly<Record<Standing, Membership>> = {
  member: 'inside',
  guest: 'inside',
  stranger: 'outside',
  app: 'none',
  deactivated: 'none',
  unknown: 'none',
};

interface WhereaboutsPorts {
  readonly people: Pick<PeopleDirectory, 'standing'>;
  readonly audience: Pick<SlackConnection['audience'], 'find' | 'hasOutsiders' | 'listChannels'>;
}

/** Who is where, as Slack says it; whoever is in no conversation there asks by a program. */
export function createWhereabouts({ people, audience }: WhereaboutsPorts): Whereabouts {
  return {
    findPlace({ personId, threadId }) {
      const found = personId === null || threadId === null ? null : audience.find({ personId, threadId });
      return found ?? { kind: 'program' };
    },
    async findMembership(id) {
      return MEMBERSHIPS[await people.standing({ id, name: id }, '', { fresh: true })];
    },
    hasOutsiders: audience.hasOutsiders,
    listChannels: audience.listChannels,
  };
}
