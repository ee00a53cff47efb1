import type { PersonIdentity } from '../../gate/types.ts';
import { readSlackUser } from '../ids.ts';

/**
 * Tells people apart by their Slack accounts. A Slack user id names one account, whatever workspace of an
 * organisation it was met in, so the team in an actor's id does not make it two people.
 */
export const slackIdentity: PersonIdentity = {
  samePerson(a, b) {
    const user = readSlackUser(a.id);
    return a.id === b.id || (user !== null && user === readSlackUser(b.id));
  },
  isUser: ({ id }, user) => readSlackUser(id) === user,
};
