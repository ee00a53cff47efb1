import type { WorkspaceClock } from '../workspace/clock.ts';
import { type Arguments, optional } from './arguments.ts';

export type RateMode = 'off' | 'generous' | 'strict';

interface Rate {
  readonly perMinute: number;
  /** How many may come at once after a quiet time. */
  readonly burst: number;
}

/** Tiers: https://docs.slack.dev/apis/web-api/rate-limits; of each method: its page in Slack's reference. */
const TIER_2: Rate = { perMinute: 20, burst: 20 };
const TIER_3: Rate = { perMinute: 50, burst: 50 };
const TIER_4: Rate = { perMinute: 100, burst: 100 };
/** About one message a second in each channel, with short bursts. */
const POSTING: Rate = { perMinute: 60, burst: 5 };
/** "Several hundred messages per minute" in the whole workspace; the exact number isn't published. */
const POSTING_ANYWHERE: Rate = { perMinute: 300, burst: 300 };

const RATES: Readonly<Record<string, Rate>> = {
  // No tier is published for it; an SDK takes it for tier 3.
  'agents.sessions.setStatus': TIER_3,
  'chat.postMessage': POSTING_ANYWHERE,
  'chat.postEphemeral': TIER_4,
  'chat.update': TIER_3,
  'chat.delete': TIER_3,
  'chat.startStream': TIER_2,
  'chat.appendStream': TIER_4,
  'chat.stopStream': TIER_2,
  'conversations.history': TIER_3,
  'conversations.info': TIER_3,
  'conversations.list': TIER_2,
  'conversations.members': TIER_4,
  'conversations.open': TIER_3,
  'conversations.replies': TIER_3,
  'files.completeUploadExternal': TIER_4,
  'files.getUploadURLExternal': TIER_4,
  'files.info': TIER_4,
  'reactions.add': TIER_3,
  'reactions.remove': TIER_2,
  'usergroups.list': TIER_2,
  'usergroups.users.list': TIER_2,
  'users.conversations': TIER_3,
  'users.info': TIER_4,
  'users.list': TIER_2,
  'users.lookupByEmail': TIER_3,
  'views.open': TIER_4,
  'views.push': TIER_4,
  'views.update': TIER_4,
  'views.publish': TIER_4,
};
/** How much more is allowed where a person tries things out on their own machine. */
const GENEROSITY = 10;

export interface RateLimiter {
  /** Counts a call; the seconds to wait when it is one too many, else null. */
  take(method: string, args: Arguments): number | null;
}

/** Slack's rate tiers, as one bucket of permits a method; posting has one for each channel, too. */
export function createRateLimiter(mode: RateMode, clock: WorkspaceClock): RateLimiter {
  const buckets = new Map<string, { permits: number; at: number }>();
  const factor = mode === 'generous' ? GENEROSITY : 1;

  /** Counts a call in one bucket; the seconds to wait when it is one too many, else null. */
  function takeFrom(key: string, rate: Rate): number | null {
    const perMs = (rate.perMinute * factor) / 60_000;
    const most = rate.burst * factor;
    const now = clock.now();
    const bucket = buckets.get(key) ?? { permits: most, at: now };
    const permits = Math.min(most, bucket.permits + (now - bucket.at) * perMs);
    buckets.set(key, { permits: permits >= 1 ? permits - 1 : permits, at: now });
    return permits >= 1 ? null : Math.max(1, Math.ceil((1 - permits) / perMs / 1000));
  }

  return {
    take: (method, args) => {
      const rate = RATES[method];
      if (mode === 'off' || rate === undefined) return null;
      const inChannel =
        method === 'chat.postMessage' ? takeFrom(`${method} ${optional(args, 'channel')}`, POSTING) : null;
      return inChannel ?? takeFrom(method, rate);
    },
  };
}
