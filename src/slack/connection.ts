import { z } from 'zod';
import type { PeopleDirectory } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../storage/store.ts';
import { type BoltOptions, createBolt, startError } from './client/bolt.ts';
import type { AnswerUnknown } from './client/receiver.ts';
import { MethodLimits } from './outbox/method-limits.ts';
import { type Audience, createAudience } from './people/audience.ts';
import { createDirectory, type Directory } from './people/directory.ts';
import { createPeople } from './people/standing.ts';

interface SlackConnectionOptions extends Omit<BoltOptions, 'limits'> {
  /** Where processes count their calls together; null for the only process. */
  readonly store: Store | null;
  /** What Slack allows in a channel, and so many times its tiers in the workspace; Slack's own is 1. */
  readonly postsPerSecond: number;
  readonly clock: Clock;
  /** The IANA zone of people whose own isn't known. */
  readonly timeZone: string;
}

const identityShape = {
  user_id: z.string(),
  bot_id: z.string().default(''),
  user: z.string(),
  /** The workspace's address, with a slash at the end. */
  url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .catch(null),
  /** From the header `x-oauth-scopes`. */
  response_metadata: z.object({ scopes: z.array(z.string()).optional() }).optional(),
};
const identitySchema = z.union([
  z
    .object({ ...identityShape, is_enterprise_install: z.literal(true), enterprise_id: z.string().min(1) })
    .transform(({ enterprise_id: teamId, ...identity }) => ({ ...identity, teamId })),
  z
    .object({
      ...identityShape,
      is_enterprise_install: z.literal(false).optional(),
      team_id: z.string().min(1),
    })
    .transform(({ team_id: teamId, ...identity }) => ({ ...identity, teamId })),
]);

/**
 * The connection to Slack, and the people behind it: what the gate needs of Slack. Nothing is sent or received
 * before {@link start}.
 */
export class SlackConnection {
  readonly bolt: ReturnType<typeof createBolt>;
  /** The rate limits of the workspace. */
  readonly limits: MethodLimits;
  readonly directory: Directory;
  /** The people directory, queried anew each time. */
  readonly people: PeopleDirectory;
  /** Who reads where, asked anew each time. */
  readonly audience: Audience;
  #bot = { userId: '', botId: '', teamId: '', name: 'countersign' };
  #workspaceUrl: string | null = null;
  #scopes: readonly string[] | null = null;
  #answerUnknown: AnswerUnknown = async (_body, ack) => ack();

  constructor(options: SlackConnectionOptions) {
    this.limits = new MethodLimits(options);
    this.bolt = createBolt(
      { ...options, limits: this.limits },
      {
        unclaimed: (body, ack) => this.#answerUnknown(body, ack),
        installation: () => this.#account().teamId,
        account: () => ({ botUserId: this.#account().userId, botId: this.#account().botId }),
      },
    );
    this.directory = createDirectory(this.bolt.client, options.clock, options.timeZone);
    this.people = createPeople(this.bolt.client, options.clock, this.directory);
    this.audience = createAudience({
      client: this.bolt.client,
      bot: this.bot,
      missingScopes: this.missingScopes,
    });
  }

  /** The bot's user and team; known after the start. */
  readonly bot = () => this.#bot;

  /** The workspace's address, with a slash at the end; null before the start, or where Slack gives none. */
  readonly workspaceUrl = () => this.#workspaceUrl;

  /** Which of these scopes the app was installed without; none before the start, or where Slack doesn't say. */
  readonly missingScopes = (needed: readonly string[]): readonly string[] =>
    needed.filter((scope) => this.#scopes?.includes(scope) === false);

  /** Answers clicks, forms and commands that have no handler with this. */
  answerUnknownBy(answer: AnswerUnknown): void {
    this.#answerUnknown = answer;
  }

  /** Checks the token and starts listening. Throws ConfigError when Slack rejects a token. */
  async start(): Promise<void> {
    let token: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN' = 'SLACK_BOT_TOKEN';
    try {
      const identity = identitySchema.parse(await this.bolt.client.auth.test());
      const { user_id: userId, bot_id: botId, teamId, user: name } = identity;
      this.#bot = { userId, botId, teamId, name };
      this.#workspaceUrl = identity.url;
      this.#scopes = identity.response_metadata?.scopes ?? null;
      await this.bolt.app.init();
      // Only the receiver uses the other one, and only Socket Mode asks Slack for anything then.
      token = 'SLACK_APP_TOKEN';
      await this.bolt.app.start();
      token = 'SLACK_BOT_TOKEN';
      await this.bolt.recheck.start();
    } catch (error) {
      throw startError(error, token);
    }
  }

  #account() {
    if (this.#bot.teamId === '') throw new Error('not started');
    return this.#bot;
  }

  /** Stops asking whether Slack accepts the app again. */
  stop(): Promise<void> {
    return this.bolt.recheck.stop();
  }
}
