import { createRequire } from 'node:module';
import { startEverythingOverHttp, startRecorder } from '../fixtures/mcp/everything-http.ts';
import { freePort } from '../fixtures/mcp/harness.ts';
import { startConfirming } from '../fixtures/servers/confirming-http.ts';
import { toldFile } from '../fixtures/servers/effects.ts';
import { startFlaky } from '../fixtures/servers/flaky-http.ts';
import { startHostile, startPage } from '../fixtures/servers/hostile-http.ts';
import { startLedger } from '../fixtures/servers/ledger-http.ts';
import { startRestarting } from '../fixtures/servers/restarting-http.ts';
import { startSixteen } from '../fixtures/servers/sixteen-http.ts';
import { SEARCH_KEY, startSearch } from './web-search.ts';

const SERVERS = new URL('../fixtures/servers/', import.meta.url).pathname;
const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

/** How long a server that hangs is waited for, in milliseconds. */
const HANGS_FOR_MS = 1_000;
/** How long a slow server takes to start, in seconds: longer than the start of the app waits for it. */
const STARTS_AFTER_S = 5;
/** How long a connection is held that nobody uses. */
const IDLE_AFTER = '1s';

/** A server of a dialogue, by its name, as an entry of `mcpServers`; those over HTTP are started. */
export async function serverEntry(
  server: string | Record<string, unknown>,
  { trusted, folder }: { readonly trusted: boolean; readonly folder: () => string },
): Promise<Record<string, unknown>> {
  if (typeof server !== 'string') return server;
  switch (server) {
    case 'lab':
      return { lab: { command: process.execPath, args: [`${SERVERS}agent.ts`], trusted } };
    case 'calendar':
      return { calendar: { in_process: 'calendar' } };
    case 'mail':
      return { mail: { in_process: 'mail' } };
    case 'everything': {
      const recording = ['--import', `${SERVERS}../mcp/recording.ts`];
      const args = [...recording, EVERYTHING, 'stdio', toldFile('$FOLDER', 'everything')];
      return { everything: { command: process.execPath, args, trusted } };
    }
    case 'everything over HTTP': {
      const port = await freePort();
      await startEverythingOverHttp('streamableHttp', port);
      // The server is connected before the app's folder is known.
      const told = () => (folder() === '' ? null : toldFile(folder(), 'everything'));
      const recorder = await startRecorder(port, told);
      return { everything: { url: `http://127.0.0.1:${recorder}/mcp`, trusted } };
    }
    case 'web search': {
      const { url } = await startSearch();
      return { 'web-search': { connector: 'web-search', api_url: url, key: SEARCH_KEY } };
    }
    case 'hostile':
      return { hostile: { url: await startHostile(folder), trusted, timeout_ms: HANGS_FOR_MS } };
    case 'a page':
      return { page: { url: await startPage() } };
    case 'deep':
      return { deep: { command: process.execPath, args: [`${SERVERS}../mcp/deep.ts`], trusted } };
    case 'endless':
      return { endless: { command: process.execPath, args: [`${SERVERS}../mcp/endless.ts`, 'circle'] } };
    case 'everything with sampling': {
      const entry = { command: process.execPath, args: [EVERYTHING, 'stdio'], trusted, sampling: true };
      return { everything: entry };
    }
    case 'venue': {
      const entry = {
        command: process.execPath,
        args: [`${SERVERS}venue.ts`, '$FOLDER'],
        trusted,
        sampling: true,
      };
      return { venue: entry };
    }
    case 'slow ledger': {
      const start = `sleep ${STARTS_AFTER_S}; exec "$0" "$@"`;
      const ledger = [process.execPath, `${SERVERS}ledger.ts`, '$FOLDER'];
      return { ledger: { command: 'sh', args: ['-c', start, ...ledger], trusted } };
    }
    case 'sixteen': {
      const entries = await startSixteen(folder);
      return Object.fromEntries(entries.map(([name, url]) => [name, { url, trusted }]));
    }
    case 'idle ledger':
      return { ledger: { url: await startLedger(folder), trusted, idle_timeout: IDLE_AFTER } };
    case 'flaky':
      return { flaky: { url: await startFlaky(folder), trusted } };
    case 'confirming': {
      const on_approved = { headers: { 'X-Confirm': 'true' } };
      return { confirming: { url: await startConfirming(folder), trusted, on_approved } };
    }
    case 'simulation with jobs':
    case 'simulation that holds its job':
    case 'simulation that dies in its job': {
      const job = { id: 'job_id', status: 'get_job_status', cancel: 'cancel_job', state: 'state' };
      const jobs = { run_population_simulation: { ...job, progress: 'done', total: 'total', every: '1s' } };
      const [, behaviour = ''] = server.split(' that ');
      const args = [`${SERVERS}simulation.ts`, '$FOLDER', behaviour];
      return { simulation: { command: process.execPath, args, trusted, jobs } };
    }
    case 'restarting':
      return { restarting: { url: await startRestarting(folder), trusted } };
    default:
      return {
        [server]: { command: process.execPath, args: [`${SERVERS}${server}.ts`, '$FOLDER'], trusted },
      };
  }
}
