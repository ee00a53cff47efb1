export interface Started {
  /** The address of our HTTP port. */
  readonly url: string;
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
}

/** The greeting for the person who started the program. */
export function greeting({
  url,
  isWorker,
  workspaceUrl,
  workspacePort,
  model,
  hasCalendar,
}: Started): string {
  const lines =
    workspaceUrl === null
      ? ['Countersign is connected to Slack.']
      : [
          `Countersign runs in a local workspace: open ${workspaceUrl}`,
          ...(isElsewhere(workspaceUrl, workspacePort)
            ? [`Port ${workspacePort} (WORKSPACE_PORT) is taken, so it took another one.`]
            : []),
          'It stands in for Slack. To connect the real one, see the README.',
        ];
  const calendar = hasCalendar ? '; it can use the calendar' : '';
  lines.push(
    model === null
      ? `Without OPENAI_API_KEY a scripted demo model answers${calendar}.`
      : `The model is ${model}.`,
  );
  lines.push(`${isWorker ? 'Health' : 'HTTP API'}: ${url}`);
  return `\n${lines.join('\n')}\n\n`;
}

function isElsewhere(url: string, port: number): boolean {
  // A URL omits its scheme's default port.
  return port !== 0 && Number(new URL(url).port || 80) !== port;
}
