import { effectsIn } from '../fixtures/servers/effects.ts';
import { startAppWithModel } from './app.ts';

const KEY = 'a-key-of-the-teams-client-31415926';
const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;

/** A task of a plan, as the master makes it. */
interface PlannedTask {
  readonly id: string;
  readonly agent: string;
  readonly task: string;
  readonly depends_on?: readonly string[];
}

/** The whole app with a team over a ledger, in which one agent reads, and two write, which is asked about. */
export async function startTeamApp({
  team,
  ...settings
}: {
  /** @default the three agents */
  readonly team?: object;
  readonly requests?: object;
  readonly agent?: object;
} = {}) {
  const { app, model } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      ...settings,
      team: team ?? {
        agents: {
          reader: { description: 'Reads the ledger.', tools: ['ledger.read_*'] },
          writer: { description: 'Writes into the ledger.', tools: ['ledger.*'] },
          clerk: { description: 'Writes into it, too.', tools: ['ledger.*'] },
        },
      },
      policy: { rules: [{ tools: 'ledger.read_*', action: 'allow' }] },
      mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'], trusted: true } },
    },
  });
  return {
    app,
    model,
    client: {
      key: KEY,
      get url(): string {
        return app.url;
      },
    },
    /** The team's master makes this plan. */
    async plans(...tasks: readonly PlannedTask[]): Promise<void> {
      await model.askedBy('master');
      const args = { analysis: { intent: 'What was asked' }, execution_plan: tasks.map((it) => ({ ...it })) };
      await model.calls([{ name: 'make_team_plan', arguments: JSON.parse(JSON.stringify(args)) }]);
    },
    /** An agent of the team wants to enter this. */
    async enters(agent: string, entry: string, id?: string): Promise<void> {
      await model.askedBy(agent);
      await model.calls([{ name: 'ledger__add_entry', arguments: { entry }, ...(id && { id }) }]);
    },
    async says(agent: string, text: string): Promise<void> {
      await model.askedBy(agent);
      await model.says(text);
    },
    /** How often each entry was entered. */
    ledger: () => effectsIn(app.folder),
  };
}
export type TeamApp = Awaited<ReturnType<typeof startTeamApp>>;

/** Two tasks that need nothing of each other. */
export const TWO_WRITERS: readonly PlannedTask[] = [
  { id: 'rent', agent: 'writer', task: 'Enter rent' },
  { id: 'tea', agent: 'clerk', task: 'Enter tea' },
];
export const READ_AND_WRITE: readonly PlannedTask[] = [
  { id: 'read', agent: 'reader', task: 'Read the ledger' },
  { id: 'rent', agent: 'writer', task: 'Enter rent' },
];
