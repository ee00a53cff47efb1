/**
 * Checks the app against a real workspace without posting anything: `SLACK_BOT_TOKEN`, its scopes, `manifest.yml`
 * where `SLACK_CONFIG_TOKEN` is set, and everything that the app shows. Without a token or a network, or with
 * `--dry-run`, it lists what it would send; `--payloads` lists it as JSON, too.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { checkSlack, listCalls, manifestSchema } from './check.ts';
import { SURFACES } from './surfaces.ts';

/** The WebClient's own retries go on for half an hour. These give up after seconds, and still outwait a rate limit. */
const RETRIES = { retries: 3, minTimeout: 1000, factor: 2 };
const TIMEOUT_MS = 10_000;

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { 'dry-run': flag, payloads: flag } });
if (existsSync('.env')) process.loadEnvFile('.env');
const {
  SLACK_BOT_TOKEN: botToken,
  SLACK_CONFIG_TOKEN: configurationToken,
  SLACK_API_URL: apiUrl,
} = process.env;
const manifest = manifestSchema.parse(
  parse(readFileSync(join(import.meta.dirname, '../../manifest.yml'), 'utf8')),
);

if (!botToken || values['dry-run'] || values.payloads) {
  listCalls({ manifest, surfaces: SURFACES, print: console.log, payloads: values.payloads });
  if (!botToken) console.log('Set SLACK_BOT_TOKEN to do so.');
} else {
  const isFine = await checkSlack({
    botToken,
    configurationToken: configurationToken || null,
    client: { retryConfig: RETRIES, timeout: TIMEOUT_MS, ...(apiUrl ? { slackApiUrl: apiUrl } : {}) },
    manifest,
    surfaces: SURFACES,
    print: console.log,
  });
  if (!isFine) process.exitCode = 1;
}
