import { z } from 'zod';
import { collection } from '../../storage/store.ts';
import { homeFilterSchema } from './filter.ts';

/** When something that a person's Home shows has changed last; the id is that person's as an actor. */
export const homeChanges = collection({
  name: 'slack_home_changes',
  schema: z.object({ at: z.number() }),
  indexes: { byTime: (change) => [change.at] },
});

/** What of the waiting calls somebody wants to see in their Home; the id is that person's as an actor. */
export const homeFilters = collection({
  name: 'slack_home_filters',
  schema: z.object({ filter: homeFilterSchema }),
  indexes: {},
});
