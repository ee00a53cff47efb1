import { z } from 'zod';

/** More than anybody counts to in a day. */
const MOST = 1_000_000_000_000;

const perDay = z.int().min(1).max(MOST).optional();

/** US dollars; the limits count in millionths. */
const dollars = z.number().min(0.000_001).max(1_000_000);

function daily() {
  return {
    runs_per_day: perDay.describe('Messages that are worked on in a day of UTC. No limit unless set.'),
    calls_per_day: perDay.describe('Tool calls in a day of UTC. No limit unless set.'),
    tokens_per_day: perDay.describe('Tokens in a day of UTC. No limit unless set.'),
    cost_per_day: dollars
      .optional()
      .describe(
        'Model cost in a day of UTC, in US dollars such as 2.5: what tokens cost by model_prices. No limit unless set.',
      ),
  };
}

const atOnce = z.int().min(1).max(256).optional();

function owner() {
  return {
    ...daily(),
    calls_at_once: atOnce.describe(
      'Calls in flight at once in each process, jobs of servers among them; the rest wait. Half of all that are free unless set.',
    ),
  };
}

function channel() {
  return {
    ...daily(),
    calls_at_once: atOnce.describe(
      'Calls in flight at once in each process, jobs of servers among them; the rest wait. No limit unless set.',
    ),
  };
}

/** `limits`: what each person, API key and channel may use. */
export const limitsSchema = z
  .strictObject({
    person: z.strictObject(owner()).prefault({}).describe('For each person in Slack.'),
    key: z
      .strictObject({
        ...owner(),
        streams: z
          .int()
          .min(1)
          .max(10_000)
          .default(20)
          .describe('Streams of events that are open at once in each process.'),
      })
      .prefault({})
      .describe('For each key of the HTTP API.'),
    channel: z
      .strictObject(channel())
      .prefault({})
      .describe('For each channel of Slack, all people together.'),
  })
  .prefault({});

const price = z.number().min(0).max(1_000_000);

/** `model_prices`: what tokens cost, by globs of models' names. */
export const modelPricesSchema = z
  .record(
    z.string().min(1),
    z.strictObject({
      input: price.describe('US dollars for a million tokens that are sent.'),
      cached_input: price
        .optional()
        .describe('For a million of those that the provider had kept; default: as input.'),
      output: price.describe('US dollars for a million tokens that the model writes.'),
    }),
  )
  .default({});
