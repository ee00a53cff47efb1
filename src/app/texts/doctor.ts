/** The texts of the command `doctor`: its checks, what they find, and how to mend it. */

/** The names of the checks. */
export const CHECKS = {
  environment: 'environment',
  configuration: 'configuration',
  dataFolder: 'data folder',
  store: 'store',
  auditKey: 'audit key',
  slack: 'slack',
  clock: 'clock',
  model: 'model',
  publicAddress: 'public address',
  policyTests: 'policy tests',
  signInKey: 'sign-in key',
  sandbox: 'code sandbox',
  documentFolder: (folder: string) => `documents in ${folder}`,
  documentStore: 'shared documents',
  embeddings: 'embeddings',
  servers: 'servers',
  server: (name: string) => `server ${name}`,
  service: (name: string) => `service of ${name}`,
  push: (name: string) => `push of ${name}`,
  agent: (name: string) => `agent ${name}`,
  teamModel: (who: 'master' | 'composer') => `team ${who}`,
} as const;

export const DOCTOR = {
  total: (failures: number, warnings: number) => `\n${failures} failed, ${warnings} warnings.`,
  environment: 'Every variable that is set can be used.',
  usable: (file: string) => `${file} can be used.`,
  asked: (count: number) => `${count} asked for their tools.`,
  tooLong: 'It did not come to an end.',
  mendTooLong: 'See whether what it asks can be reached from here.',
} as const;

export const FOLDER = {
  willBeMade: (path: string) => `${path} will be made by the first start.`,
  cannotBeMade: (path: string, above: string) => `${path} is not there, and ${above} can't be written to.`,
  setAnother: 'Set DATA_DIR to another folder.',
  notWritable: (path: string) => `${path} can't be written to.`,
  makeItYours: 'Make it yours (chown), or set DATA_DIR.',
  isPrivate: (path: string) => `${path} and its files are their owner's alone.`,
  isOpen: (path: string) => `Others can use ${path}.`,
  mendOpen: 'The next start mends that; or chmod it to 0700 (files 0600).',
  isShared: (path: string) => `${path} is a folder for many.`,
  mendShared: "Set DATA_DIR to a folder in it that doesn't exist yet.",
  isOfAnother: (path: string) => `${path} belongs to another user.`,
} as const;

export const STORE = {
  willBeMade: (path: string) => `SQLite: ${path} will be made by the first start.`,
  works: (path: string) =>
    `SQLite: ${path} was written and read; a crash loses nothing that was acknowledged.`,
  mendDurability: 'Set appendonly yes, appendfsync always and maxmemory-policy noeviction there.',
  notStrict: (summary: string) => `DURABILITY=strict, but: ${summary}`,
  recordIsGone: 'a record that was written is not there',
} as const;

export const SIGN_IN_KEY = {
  notNeeded: 'No server is configured to be signed in to.',
  notYet: (servers: readonly string[]) =>
    `People sign in to ${servers.join(', ')} once what an admin has to set there is set; a key is needed then.`,
  isThere: 'There is a key for people’s tokens.',
  missing: (servers: readonly string[]) => `Nobody can sign in to ${servers.join(', ')}.`,
  mendMissing: 'Set TOKEN_ENCRYPTION_KEY, such as main:$(openssl rand -base64 32).',
} as const;

export function auditIsSigned(keyId: string): string {
  return `The audit is signed with the key ${keyId}.`;
}

export const POLICY_TESTS = {
  none: (path: string) => `There is no ${path}; with one, the policy is held to what it expects.`,
  asExpected: (count: number, path: string) => `${count} cases of ${path} are as expected.`,
  notAsExpected: (names: readonly string[]) => `Not as expected: ${names.join('; ')}.`,
  mend: 'npx countersign policy test says why. Mend the policy or the case.',
} as const;

export const SLACK = {
  none: 'No Slack is configured: the local workspace stands in for it.',
  lacksScopes: (scopes: readonly string[]) => `The bot token lacks ${scopes.join(', ')}.`,
  mendScopes: 'Bring the app up to date with manifest.yml, and install it again.',
  byHttp: (user: string, team: string) => `${user} in ${team}, by HTTP.`,
  bySocket: (user: string, team: string) => `${user} in ${team}, by Socket Mode.`,
  notReached: (problem: string) => `Slack can't be reached: ${problem}`,
  mendNotReached: 'See that slack.com can be reached from here.',
} as const;

export const CLOCK = {
  nobody: 'There is nobody to compare it with.',
  noTime: (host: string) => `${host} doesn't say what time it is.`,
  agrees: (host: string) => `It agrees with ${host}.`,
  isOff: (seconds: number, host: string) => `It is ${seconds} s off ${host}.`,
  mend: 'Synchronise this machine’s clock (NTP).',
} as const;

export const MODEL = {
  demo: 'No OPENAI_API_KEY is set: the scripted demo model answers.',
  answers: (name: string) => `${name} answers.`,
  noAnswer: (name: string, problem: string) => `${name} doesn't answer: ${problem}`,
  mend: 'Check OPENAI_API_KEY, OPENAI_BASE_URL and MODEL.',
} as const;

export const DOCUMENT_FOLDER = {
  holds: (count: number) => `${count} files of kinds that are learned.`,
  isEmpty: 'It has no file of a kind that is learned.',
  mendEmpty: 'Put documents there, or correct knowledge.folders.',
  isCut: 'It has more than 10,000 documents, or folders more than 12 deep: the others are left out.',
  mendCut: 'Name folders in it under knowledge.folders.',
  isUnreadable: (why: string) => `It can't be read: ${why}`,
  mend: 'Make it, let this user read it, or correct knowledge.folders.',
} as const;

export const DOCUMENT_STORE = {
  notServed: 'No documents are learned here.',
  ownFile: 'One process has them for itself: documents.db in DATA_DIR.',
  notShared:
    'Several processes share the work, and no documents: each learns the folders for itself, and nobody can bring one.',
  mendNotShared: 'Set knowledge.store (docs/servers.md).',
  notWritable: (path: string) => `${path} can't be written to.`,
  willBeMade: (store: string) => `LanceDB is there; ${store} will be made by the first start.`,
  holds: (store: string, documents: number) => `LanceDB is there; ${store} has ${documents} documents.`,
  unusable: (store: string, why: string) => `${store} can't be used: ${why}`,
  mend: 'Correct knowledge.store, and see that LanceDB is installed and the folder or address can be written to from here.',
} as const;

export const EMBEDDINGS = {
  none: 'No embedding model is configured (knowledge.embeddings): documents are found by words alone.',
  answers: (model: string, dimensions: number) => `${model} makes vectors of ${dimensions} dimensions.`,
  otherDimensions: (model: string, made: number, wanted: number) =>
    `${model} makes vectors of ${made} dimensions, where ${wanted} are asked for.`,
  mendDimensions: 'Leave dimensions out under knowledge.embeddings, or name a model that can make so few.',
  mend: 'Check url, model and key under knowledge.embeddings. Until it answers, documents are found by words alone.',
} as const;

export const SANDBOX = {
  notNeeded: 'No server runs programs.',
  runs: (languages: readonly string[]) =>
    `Programs in ${languages.join(' and ')} were tried, and reached nothing.`,
  runsSome: (languages: readonly string[], problems: readonly string[]) =>
    `Only programs in ${languages.join(' and ')} are run. ${problems.join(' ')}`,
  mend: 'Install bubblewrap and python3, and let this user make namespaces (docs/servers.md).',
} as const;

export const PUSH = {
  nowhere: 'There is no address at which it could be told of new mails.',
  mendNowhere: 'Set PUBLIC_URL to an https address that can be reached from outside.',
  noKeys: 'The keys that pushes are signed with can’t be had, so every push is refused.',
  mendNoKeys: 'See that www.googleapis.com can be reached from here.',
  isHeard: (push: Readonly<Record<'topic' | 'url' | 'audience' | 'serviceAccount', string>>) =>
    `The subscription of ${push.topic} has to push to ${push.url}, with authentication as ${push.serviceAccount} for the audience ${push.audience}. Whether it does, only a mail tells.`,
} as const;

export const SERVERS = {
  tools: (count: number) => `${count} tools.`,
  signedInTo: 'People sign in to it, so it was only looked at.',
  entry: (name: string) => `"${name}" under mcpServers`,
  mendUrl: (entry: string) =>
    `See that its address answers from here, and correct url or headers of ${entry}.`,
  mendCommand: (entry: string) =>
    `Start its command by hand to see what it says, and correct command, args, env, cwd or sandbox of ${entry}.`,
  mend: (entry: string) => `Correct ${entry}.`,
  stray: (key: 'key' | 'oauth' | 'push') =>
    ({
      key: 'Its key is not used: people sign in to it.',
      oauth: 'Its oauth is not used: nobody signs in to it.',
      push: 'Its push is not used: it doesn’t tell of what is new.',
    })[key],
  mendStray: (key: string, entry: string) => `Take ${key} out of ${entry}.`,
  notReached: (url: string, problem: string) => `${url} isn't reached from here: ${problem}`,
  mendApi: (entry: string) =>
    `Correct api_url of ${entry}; at a private address, it needs allow_private_network: true.`,
  setupRequired: (why: string) => `Setup required. ${why}`,
  mendSetup: (entry: string) => `Set it (docs/connectors.md), or leave ${entry} out.`,
} as const;

export const PUBLIC_ADDRESS = {
  none: 'No PUBLIC_URL is set.',
  isReached: (url: string) => `${url} is reached from here.`,
  answers: (url: string, status: number) => `${url}/livez answers ${status}.`,
  notReached: (url: string, problem: string) => `${url} isn't reached from here: ${problem}`,
  mend: 'Start Countersign, and see that the proxy in front of it passes requests on.',
} as const;

/** An agent of the team. */
export const AGENT = {
  tools: (count: number) => `It has ${count} tools.`,
  noTools: 'It has no tools and no via: it can only answer from what it is told.',
  mendNoTools: 'Give it tools, such as [calendar.*], or via.',
  noMatch: (globs: readonly string[]) => `No server has a tool that fits ${globs.join(', ')}.`,
  mendNoMatch: 'Correct its tools, or see why the server is not there.',
  notAsked: (globs: readonly string[]) =>
    `Whether there is a tool for ${globs.join(', ')} isn't known, as its server could not be asked.`,
  noTool: (tool: string) => `No server has the tool ${tool}.`,
  mendNoTool: 'Correct its via.tool, or see why the server is not there.',
  noTask: (tool: string) => `${tool} takes no "task", so it would not be told what to do.`,
  mendNoTask: 'Name a tool that takes an AgentInput (docs/agents.md).',
  by: (tool: string) => `It gets its tasks by ${tool}.`,
  answers: (url: string, status: number) => `${url} answers (HTTP ${status}); it was given no task.`,
  noAnswer: (url: string, why: string) => `${url} doesn't answer: ${why}`,
  mendUrl: 'See that it can be reached from here, and correct its via.url.',
  hasCard: (name: string, url: string) => `${url} has the agent card of “${name}”; it was given no task.`,
  noCard: (url: string, why: string) => `${url} can't be given tasks: ${why}`,
  mendA2a: 'See that its agent card can be read from here, and correct its via.a2a.',
  modelNotAsked: (name: string) =>
    `Its model ${name} was not asked, as no OPENAI_API_KEY is set: the scripted demo model answers in its place.`,
  modelOfAll: 'It has the model of all.',
  at: (mend: string, place: string) => `${place}: ${mend}`,
} as const;
