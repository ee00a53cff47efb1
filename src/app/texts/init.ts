/** The texts of the command `init`: its questions, and the comments in the files that it writes. */

import { homedir } from 'node:os';

export const ASK = {
  title: 'Countersign',
  where: 'Where do people talk to it?',
  here: 'In a local workspace',
  hereHint: 'an emulated Slack on this machine, to try it',
  slack: 'In Slack',
  slackHint: 'the README says how to make the app',
  botToken: 'Bot User OAuth Token (xoxb-…); empty to fill it in later',
  appToken: 'App-Level Token with connections:write (xapp-…); empty to fill it in later',
  who: 'Which model answers?',
  demo: 'The scripted demo model',
  demoHint: 'no key needed; it knows the example calendar',
  openAi: 'One with an OpenAI-compatible API',
  model: 'The model’s name',
  baseUrl: 'Base URL of its API; empty for OpenAI’s own',
  apiKey: 'API key; empty to fill it in later',
  calendar: 'Add the example calendar?',
  compose: 'Write a compose.yaml for Docker too?',
  done: 'Nothing else to ask.',
} as const;

export const NEEDED = 'It needs one.';
export const NOT_MODEL_NAME = 'A model’s name has no spaces, such as gpt-5-mini.';
export const NOT_HTTP = 'This is no http or https address, such as https://api.openai.com/v1.';
export const BASE_URL_ALONE = 'It is the address of a model: name that with --model.';
export const CANCELLED = 'Nothing was written.';
export const NO_TERMINAL = 'There is no terminal to ask at. --yes takes what the options say.';

/** `servers`: their names. */
export function askTakeOver(path: string, servers: readonly string[]): string {
  const shown = path.startsWith(homedir()) ? `~${path.slice(homedir().length)}` : path;
  return `Take over the servers of ${shown}? (${servers.join(', ')})`;
}

/** `option`: such as `--model`; `problem`: a sentence. */
export function badOption(option: string, problem: string): string {
  return `${option}: ${problem}`;
}

export function askOverwrite(file: string): string {
  return `${file} is there. Overwrite it?`;
}

export function filesExist(files: readonly string[]): string {
  const are = files.length === 1 ? 'is there' : 'are there';
  return `Nothing was written: ${files.join(' and ')} ${are}. --force overwrites.`;
}

export function serverTakenTwice(name: string, path: string): string {
  return `${path}: there is another server called ${name}. Rename one of them.`;
}

export function noFileToTakeOver(path: string): string {
  return `${path}: there is no such file.`;
}

/** `file` was replaced, and what it held is in `copy`. */
export function keptAs(file: string, copy: string): string {
  return `What ${file} held is kept as ${copy}.`;
}

/** `problem`: a sentence that names the file and the server. */
export function notTakenOver(problem: string): string {
  return `Left out: ${problem}`;
}

/** `missing`: settings to fill in. */
export function initialised(written: readonly string[], missing: readonly string[]): string {
  const lines = [written.length === 0 ? CANCELLED : `Written: ${written.join(', ')}.`];
  if (missing.length > 0) lines.push(`Fill in in .env: ${missing.join(', ')}.`);
  lines.push('Start it with: npx countersign. To check the configuration: npx countersign doctor.');
  return lines.join('\n');
}

// .env

export const ENV_HEADER =
  '# Settings of Countersign. `countersign doctor` checks them. Keep this file out of version control.';
export const ENV_SLACK =
  '# "Bot User OAuth Token" and "App-Level Token" (connections:write) of the Slack app; without them, a local workspace starts.';
export const ENV_MODEL = '# The API key of the model’s provider; without it, the demo model answers.';
export const ENV_SERVERS = '# What servers that were taken over had in their own configuration.';

/** `name`: the variable whose value can't be written. */
export function notForEnvFile(name: string): string {
  return `The value of ${name} holds both kinds of quotes, or signs that only one kind keeps. Nothing was written: set it by hand.`;
}

// countersign.yaml

export const YAML_POLICY = `# Which calls run at once (allow), which wait for a person (ask), which never run (deny). The first rule that matches
# decides; what no rule matches is asked. \`countersign policy explain SERVER.TOOL\` says what applies to a call.
policy:
  default: ask`;
export const YAML_CALENDAR = `  rules:
    - name: reading the calendar
      tools: [calendar.list_*, calendar.get_*]
      action: allow`;
export const YAML_READING = `  # What only reads needn't wait for anybody:
  #   - name: reading
  #     tools: [SERVER.get_*, SERVER.list_*]
  #     action: allow`;
export const YAML_CARDS = `# How cards read: the sentence that heads one, and what to read before people are asked.
cards:
  calendar.create_event:
    title: Create {title}, {start}
    undo:
      { tool: calendar.delete_event, with: { calendar_id: "{calendar_id}", event_id: "{result.event.id}" } }
  calendar.update_event:
    title:
      - Move {was} from {was.start} to {start}
      - Rename {was} to {title}
    look_up: calendar.get_event
  calendar.delete_event:
    title:
      - Delete {was}, {was.start}, {was.attendees.count|guest|guests}
      - Delete {was}, {was.start}
    look_up: calendar.get_event
`;
export const YAML_SERVERS = `# Your tools: any MCP server, in the shape other MCP clients use. \${NAME} is taken from the environment, and so from .env.`;
/** Below the servers. */
export const YAML_SIMULATION = `  # Another example comes with this program: a simulation of a drug in the body, which is loaded when it's first needed. To have
  # it, take "# " away before the lines below, and {} behind mcpServers if it stands there. It may read as the calendar does once a
  # rule like that above names [simulation.list_*, simulation.get_*, simulation.calculate_*].
  # simulation:
  #   in_process: simulation
  #   # A population is a job: its call goes on until the job has ended, with its progress, and Stop cancels it.
  #   jobs:
  #     run_population_simulation:
  #       { id: job_id, status: get_job_status, cancel: cancel_job, state: state, progress: done, total: total }
`;

// compose.yaml

export const COMPOSE = `# One process, its data in two volumes. The image is built in a checkout: docker build -t countersign .`;
