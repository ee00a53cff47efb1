import { stringify } from 'yaml';
import { ConfigError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  COMPOSE,
  ENV_HEADER,
  ENV_MODEL,
  ENV_SERVERS,
  ENV_SLACK,
  notForEnvFile,
  YAML_CALENDAR,
  YAML_CARDS,
  YAML_POLICY,
  YAML_READING,
  YAML_SERVERS,
  YAML_SIMULATION,
} from '../../texts/init.ts';
import type { TakenOver } from './take-over.ts';

/** What a configuration is made from. Empty texts are to be filled in later. */
export interface Answers {
  /** Null for the local workspace. */
  readonly slack: { readonly botToken: string; readonly appToken: string } | null;
  /** Null for the demo model; `baseUrl` is empty for OpenAI's own. */
  readonly model: { readonly name: string; readonly baseUrl: string; readonly apiKey: string } | null;
  readonly takenOver: TakenOver;
  /** Whether the example calendar is among the servers. */
  readonly hasCalendar: boolean;
  /** Whether a `compose.yaml` is wanted. */
  readonly hasCompose: boolean;
}

/** The files' contents by their names. */
export function configurationFiles(answers: Answers): ReadonlyMap<string, string> {
  const files = new Map([
    ['.env', envFile(answers)],
    ['countersign.yaml', yamlFile(answers)],
  ]);
  if (answers.hasCompose) files.set('compose.yaml', composeFile(answers));
  return files;
}

/** Settings that have yet to be filled in. */
export function missingSettings({ slack, model }: Answers): string[] {
  const needed = {
    SLACK_BOT_TOKEN: slack?.botToken,
    SLACK_APP_TOKEN: slack?.appToken,
    OPENAI_API_KEY: model?.apiKey,
  };
  return Object.entries(needed).flatMap(([name, value]) => (value === '' ? [name] : []));
}

function envFile({ slack, model, takenOver }: Answers): string {
  const lines = [
    ENV_HEADER,
    '',
    ENV_SLACK,
    slack ? setting('SLACK_BOT_TOKEN', slack.botToken) : '#SLACK_BOT_TOKEN=xoxb-',
    slack ? setting('SLACK_APP_TOKEN', slack.appToken) : '#SLACK_APP_TOKEN=xapp-',
    '',
    ENV_MODEL,
    model ? setting('OPENAI_API_KEY', model.apiKey) : '#OPENAI_API_KEY=',
    model?.baseUrl ? setting('OPENAI_BASE_URL', model.baseUrl) : '#OPENAI_BASE_URL=',
    model ? setting('MODEL', `openai:${model.name}`) : '#MODEL=openai:gpt-5-mini',
  ];
  if (takenOver.variables.size > 0) {
    lines.push('', ENV_SERVERS);
    for (const [name, value] of takenOver.variables) lines.push(setting(name, value));
  }
  return `${lines.join('\n')}\n`;
}

/** A line of `.env`. Single quotes keep everything as it is, for Node and for Compose. */
function setting(name: string, value: string): string {
  if (/^[\w./:@%+=-]*$/.test(value)) return `${name}=${value}`;
  if (!value.includes("'")) return `${name}='${value}'`;
  if (!/["$\\]/.test(value)) return `${name}="${value}"`;
  throw new ConfigError(notForEnvFile(name));
}

function yamlFile({ takenOver, hasCalendar }: Answers): string {
  const calendar: JsonObject = hasCalendar ? { calendar: { in_process: 'calendar' } } : {};
  const servers: JsonObject = { ...calendar, ...takenOver.servers };
  const simulation = Object.hasOwn(servers, 'simulation') ? '' : YAML_SIMULATION;
  return [
    YAML_POLICY,
    ...(hasCalendar ? [YAML_CALENDAR] : []),
    YAML_READING,
    '',
    ...(hasCalendar ? [YAML_CARDS] : []),
    YAML_SERVERS,
    `${stringify({ mcpServers: servers }, { lineWidth: 0 })}${simulation}`,
  ].join('\n');
}

function composeFile({ slack }: Answers): string {
  const ports = ['127.0.0.1:3000:3000', ...(slack ? [] : ['127.0.0.1:3001:3001'])];
  const service = {
    image: 'countersign',
    env_file: '.env',
    // Takes up what MCP servers leave behind when they end.
    init: true,
    restart: 'unless-stopped',
    // Longer than the 25 s that it takes at most to stop.
    stop_grace_period: '30s',
    ports,
    volumes: ['./countersign.yaml:/app/countersign.yaml:ro', 'data:/data', 'keys:/keys'],
  };
  return `${COMPOSE}\n${stringify({ services: { countersign: service }, volumes: { data: null, keys: null } }, { nullStr: '' })}`;
}
