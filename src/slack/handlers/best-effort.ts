import type { HandlerPorts } from './ports.ts';

/**
 * Waits for something that people are told only by the way. When it fails, the event that it answers is
 * done all the same: Slack would otherwise deliver it again.
 */
export async function bestEffort(ports: HandlerPorts, told: Promise<unknown>): Promise<void> {
  try {
    await told;
  } catch (error) {
    ports.log.warn({ err: error }, 'a word to one person was not taken by Slack');
  }
}
