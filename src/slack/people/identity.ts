import type { PersonIdentity } from '../../gate/types.ts';
import { readSlackUser } from '../ids.ts';

/**
 * Identifies people by their Slack accounts. A Slack user id names one account in every workspace of an
 * organisation, so the team in an actor's id doesn't make it two people.
 */
export const slackIdentity: PersonIdentity = {
  samePerson(a, b) {
    const user = readSlackUser(a.id);
    return a.id === b.id || (user !== null && user === readSlackUser(b.id));
  },
  isUser: ({ id }, user) => readSlackUser(id) === user,
};
