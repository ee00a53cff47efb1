import {
  addressLine,
  anotherWorkspacePort,
  CONNECTED_TO_SLACK,
  dashboardLine,
  modelLine,
  NO_SERVERS,
  runsInWorkspace,
  STANDS_IN_FOR_SLACK,
  teamLine,
} from './texts/start.ts';

export interface Started {
  /** The address of our HTTP port. */
  readonly url: string;
  /** Where people reach the pages. */
  readonly publicUrl: string;
  /** Whether that port serves only health checks. */
  readonly isWorker: boolean;
  /** The local workspace's page; null when a real Slack is connected. */
  readonly workspaceUrl: string | null;
  /** The port requested for the page; 0 for any. */
  readonly workspacePort: number;
  /** The model's name; null for the demo model. */
  readonly model: string | null;
  /** Whether the bundled calendar is among the servers. */
  readonly hasCalendar: boolean;
  /** The names of the agents that answer in the local workspace's #team; none where another one does. */
  readonly team: readonly string[];
  /** Whether any server is configured. */
  readonly hasServers: boolean;
  /** What else the person should know, each as a sentence or two. */
  readonly notes: readonly string[];
}

/** The greeting for the person who started the program. */
export function greeting({
  url,
  publicUrl,
  isWorker,
  workspaceUrl,
  workspacePort,
  model,
  hasCalendar,
  team,
  hasServers,
  notes,
}: Started): string {
  const lines =
    workspaceUrl === null
      ? [CONNECTED_TO_SLACK]
      : [
          runsInWorkspace(workspaceUrl),
          ...(isElsewhere(workspaceUrl, workspacePort) ? [anotherWorkspacePort(workspacePort)] : []),
          STANDS_IN_FOR_SLACK,
        ];
  lines.push(modelLine(model, { hasCalendar }));
  if (workspaceUrl !== null && team.length > 0) lines.push(teamLine(team));
  lines.push(addressLine(url, { isWorker }));
  if (!isWorker) lines.push(dashboardLine(publicUrl));
  if (!hasServers) lines.push(NO_SERVERS);
  lines.push(...notes);
  return `\n${lines.join('\n')}\n\n`;
}

function isElsewhere(url: string, port: number): boolean {
  // A URL omits its scheme's default port.
  return port !== 0 && Number(new URL(url).port || 80) !== port;
}
