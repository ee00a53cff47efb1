import { z } from 'zod';
import { collection } from '../../storage/store.ts';
import { homeFilterSchema } from './filter.ts';

/** When something in a person's Home last changed, by actor id. */
export const homeChanges = collection({
  name: 'slack_home_changes',
  schema: z.object({ at: z.number() }),
  indexes: { byTime: (change) => [change.at] },
});

/** The filter that somebody chose for their Home's waiting calls, by actor id. */
export const homeFilters = collection({
  name: 'slack_home_filters',
  schema: z.object({ filter: homeFilterSchema }),
  indexes: {},
});
