/** The door of telemetry: what this process does, told to OpenTelemetry. */
import { UNTRACED } from '../lib/telemetry/tracing.ts';
import type { Telemetry, TelemetryPorts } from './start.ts';

export type { Telemetry } from './start.ts';

const NO_TELEMETRY: Telemetry = {
  tracing: UNTRACED,
  sendMetrics: () => undefined,
  stop: async () => undefined,
};

interface Settings extends Pick<TelemetryPorts, 'secrets'> {
  readonly telemetry: TelemetryPorts['settings'] | null;
}

/** Begins to tell, as the settings say. Where there are none, nothing of OpenTelemetry is loaded. */
export async function createTelemetry(
  { telemetry: settings, secrets }: Settings,
  ports: Omit<TelemetryPorts, 'settings' | 'secrets'>,
): Promise<Telemetry> {
  if (settings === null) return NO_TELEMETRY;
  const { startTelemetry } = await import('./start.ts');
  return startTelemetry({ ...ports, settings, secrets });
}
