import { z } from 'zod';
import { absent, collection, put, type Store, unchanged } from '../../storage/store.ts';

/** The Slack users who were told in a thread how to address the app; by thread id. */
export const hinted = collection({
  name: 'slack_hinted',
  schema: z.object({ users: z.array(z.string()) }),
  indexes: {},
});

/** Remembers that a user is told in this thread how to address the app; false if they have been told before. */
export async function rememberHint(store: Store, threadId: string, user: string): Promise<boolean> {
  for (;;) {
    const known = await store.get(hinted, threadId);
    const users = known?.value.users ?? [];
    if (users.includes(user)) return false;
    const { committed } = await store.commit({
      expect: [known ? unchanged(hinted, known) : absent(hinted, threadId)],
      put: [put(hinted, threadId, { users: [...users, user] })],
    });
    if (committed) return true;
  }
}
