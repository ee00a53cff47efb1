import type { JsonObject } from '../../src/lib/json.ts';
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

type AppOptions = Parameters<typeof startAppWithModel>[0];

/**
 * The whole app with a team over a ledger, in which one agent reads, and two write, which is asked about.
 *
 * @param settings of `countersign.yaml`, in the place of these
 */
export async function startTeamApp(
  settings: AppOptions['file'] = {},
  options: Pick<AppOptions, 'web' | 'slack'> = {},
) {
  const { app, model } = await startAppWithModel({
    ...options,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      team: {
        agents: {
          reader: { description: 'Reads the ledger.', tools: ['ledger.read_*'] },
          writer: { description: 'Writes into the ledger.', tools: ['ledger.*'] },
          clerk: { description: 'Writes into it, too.', tools: ['ledger.*'] },
        },
      },
      policy: { rules: [{ tools: 'ledger.read_*', action: 'allow' }] },
      mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'], trusted: true } },
      ...settings,
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
    /** An agent of the team wants to make this call. */
    async calls(agent: string, name: string, args: JsonObject): Promise<void> {
      await model.askedBy(agent);
      await model.calls([{ name, arguments: args }]);
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
