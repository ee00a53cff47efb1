import type { JsonObject } from '../../src/lib/json.ts';

/** A call to try: the tool, and its arguments. `$FOLDER` in texts is the folder of the try. */
type Try = readonly [tool: string, args: JsonObject];

/** A server as somebody would configure it, with one call that reads and one that writes; null where it has none. */
export interface TriedServer {
  /** The package on npm, which npx gets and runs. */
  readonly npm: string;
  readonly args?: readonly string[];
  /** Tokens are placeholders: these servers only look for them when they start. */
  readonly env?: Readonly<Record<string, string>>;
  readonly read: Try | null;
  readonly write: Try | null;
}

const TOKEN = 'a-placeholder-and-no-token';

/** The servers that are tried, by name. */
export const SERVERS: Readonly<Record<string, TriedServer>> = {
  everything: {
    npm: '@modelcontextprotocol/server-everything',
    read: ['get-sum', { a: 2, b: 3 }],
    write: ['echo', { message: 'hello' }],
  },
  filesystem: {
    npm: '@modelcontextprotocol/server-filesystem',
    args: ['$FOLDER'],
    read: ['list_directory', { path: '$FOLDER' }],
    write: ['write_file', { path: '$FOLDER/note.txt', content: 'hello' }],
  },
  memory: {
    npm: '@modelcontextprotocol/server-memory',
    env: { MEMORY_FILE_PATH: '$FOLDER/memory.jsonl' },
    read: ['read_graph', {}],
    write: [
      'create_entities',
      { entities: [{ name: 'Ana', entityType: 'person', observations: ['likes tea'] }] },
    ],
  },
  thinking: {
    npm: '@modelcontextprotocol/server-sequential-thinking',
    read: [
      'sequentialthinking',
      { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    ],
    write: null,
  },
  github: {
    npm: '@modelcontextprotocol/server-github',
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: TOKEN },
    read: ['search_repositories', { query: 'mcp' }],
    write: ['create_issue', { owner: 'nobody', repo: 'nothing', title: 'A try' }],
  },
  gitlab: {
    npm: '@modelcontextprotocol/server-gitlab',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: TOKEN },
    read: ['search_repositories', { search: 'mcp' }],
    write: ['create_issue', { project_id: '0', title: 'A try' }],
  },
  slack: {
    npm: '@modelcontextprotocol/server-slack',
    env: { SLACK_BOT_TOKEN: TOKEN, SLACK_TEAM_ID: 'T0' },
    read: ['slack_list_channels', {}],
    write: ['slack_post_message', { channel_id: 'C0', text: 'A try' }],
  },
  maps: {
    npm: '@modelcontextprotocol/server-google-maps',
    env: { GOOGLE_MAPS_API_KEY: TOKEN },
    read: ['maps_geocode', { address: 'Berlin' }],
    write: null,
  },
  playwright: {
    npm: '@playwright/mcp',
    args: ['--headless', '--isolated', '--no-sandbox', '--executable-path', '/usr/bin/chromium'],
    read: ['browser_snapshot', {}],
    write: ['browser_navigate', { url: 'about:blank' }],
  },
  tavily: {
    npm: 'tavily-mcp',
    env: { TAVILY_API_KEY: TOKEN },
    read: ['tavily_search', { query: 'mcp' }],
    write: null,
  },
  notion: {
    npm: '@notionhq/notion-mcp-server',
    env: { NOTION_TOKEN: TOKEN },
    read: ['API-get-self', {}],
    write: [
      'API-create-a-comment',
      { parent: { page_id: '0' }, rich_text: [{ text: { content: 'A try' } }] },
    ],
  },
  kubernetes: {
    npm: 'mcp-server-kubernetes',
    read: ['ping', {}],
    write: ['kubectl_create', { resourceType: 'namespace', name: 'a-try' }],
  },
};
