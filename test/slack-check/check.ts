import { ErrorCode, WebClient, type WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import { findTokenProblem } from '../../src/config/slack-tokens.ts';
import { errorCauses, errorCode, errorMessage } from '../../src/lib/errors.ts';
import { readPlatformError } from '../../src/slack/client/api-errors.ts';
import { tokenProblem } from '../../src/slack/texts/client.ts';
import type { Surface } from './surfaces.ts';

/** The parts of `manifest.yml` that are compared; the rest goes to Slack as it is. */
export const manifestSchema = z.looseObject({
  oauth_config: z.looseObject({ scopes: z.looseObject({ bot: z.array(z.string()) }) }),
});
type Manifest = z.infer<typeof manifestSchema>;

interface CheckOptions {
  readonly botToken: string;
  /** An app configuration token (`xoxe.…`) for the manifest; null leaves that out. */
  readonly configurationToken: string | null;
  readonly client: WebClientOptions;
  readonly manifest: Manifest;
  readonly surfaces: readonly Surface[];
  /** Prints one line. */
  readonly print: (line: string) => void;
}

const authSchema = z.object({
  user: z.string(),
  team: z.string(),
  response_metadata: z.object({ scopes: z.array(z.string()).optional() }).optional(),
});

/** What Slack says of a payload: docs.slack.dev/reference/methods/blocks.validate and apps.manifest.validate. */
const refusalSchema = z.object({
  data: z.object({
    error: z.string(),
    errors: z
      .array(z.object({ message: z.string().default(''), pointer: z.string().default('') }))
      .default([]),
    response_metadata: z.object({ messages: z.array(z.string()).default([]) }).optional(),
  }),
});

/**
 * Asks Slack whether it takes what the app is and shows: the token and its scopes, the manifest, and every kind
 * of message and view. Prints a line for each; true when Slack refused nothing. It posts nothing.
 */
export async function checkSlack(options: CheckOptions): Promise<boolean> {
  const { client: clientOptions, configurationToken, manifest, surfaces, print } = options;
  const wrongKind = findTokenProblem('bot', options.botToken);
  if (wrongKind !== null) {
    print(`FAIL  token: SLACK_BOT_TOKEN ${wrongKind}.`);
    return false;
  }
  const client = new WebClient(options.botToken, clientOptions);
  let isFine = true;
  const report = (name: string, problem: string | null): void => {
    isFine &&= problem === null;
    print(problem === null ? `ok    ${name}` : `FAIL  ${name}: ${problem}`);
  };

  try {
    const { user, team, response_metadata: metadata } = authSchema.parse(await client.auth.test());
    report(`token: ${user} in ${team}`, null);
    report('scopes', compareScopes(manifest.oauth_config.scopes.bot, metadata?.scopes ?? null));
  } catch (error) {
    // Without the token Slack says nothing of the rest.
    const name = readPlatformError(error);
    const problem = name === null ? null : tokenProblem(name, 'SLACK_BOT_TOKEN');
    report('token', problem ? `${problem.what} ${problem.mend}` : refusal(error));
    if (errorCode(error) === ErrorCode.RequestError) {
      listCalls({ manifest, surfaces, print, payloads: false });
    }
    return false;
  }
  if (configurationToken === null) print('skip  manifest.yml: SLACK_CONFIG_TOKEN is not set');
  else {
    const configuring = new WebClient(configurationToken, clientOptions);
    const call = configuring.apiCall('apps.manifest.validate', { manifest: JSON.stringify(manifest) });
    report('manifest.yml', await problemOf(call));
  }
  for (const { kind, name, payload } of surfaces) {
    const call = client.apiCall('blocks.validate', { [kind]: toSend(payload) });
    report(`${kind}: ${name}`, await problemOf(call));
  }
  return isFine;
}

/** Prints what {@link checkSlack} would send; with `payloads` also each message and view, as JSON. */
export function listCalls({
  manifest,
  surfaces,
  print,
  payloads,
}: Pick<CheckOptions, 'manifest' | 'surfaces' | 'print'> & { readonly payloads: boolean }): void {
  for (const { kind, name, payload } of surfaces) {
    print(`      ${kind}: ${name}`);
    if (payloads) print(toSend(payload));
  }
  const views = surfaces.filter(({ kind }) => kind === 'view').length;
  print(
    `Would ask Slack about the token, ${manifest.oauth_config.scopes.bot.length} scopes, the manifest, ${surfaces.length - views} messages and ${views} views.`,
  );
}

function toSend(payload: Surface['payload']): string {
  return JSON.stringify('text' in payload ? { blocks: payload.blocks } : payload);
}

function compareScopes(needed: readonly string[], granted: readonly string[] | null): string | null {
  if (granted === null) return 'Slack did not say which scopes the token has';
  const missing = needed.filter((scope) => !granted.includes(scope));
  return missing.length === 0 ? null : `missing ${missing.join(', ')}: add them and install the app again`;
}

async function problemOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): string {
  const parsed = refusalSchema.safeParse(error);
  if (!parsed.success) return describeFailure(error);
  const { error: name, errors, response_metadata: metadata } = parsed.data.data;
  const details = errors.map(({ pointer, message }) => `${pointer} ${message}`.trim());
  return [name, ...(details.length > 0 ? details : (metadata?.messages ?? []))].join('; ');
}

/** The request's own message says only that it failed; the last cause names the host and why. */
function describeFailure(error: unknown): string {
  const last = errorCauses(error).at(-1) ?? error;
  return last === error ? errorMessage(error) : `${errorMessage(error)} (${errorMessage(last)})`;
}
