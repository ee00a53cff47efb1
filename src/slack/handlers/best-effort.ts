import type { HandlerPorts } from './ports.ts';

/**
 * Waits for a notice that may fail. A failure doesn't fail the event it answers: Slack would deliver that
 * event again.
 */
export async function bestEffort(ports: Pick<HandlerPorts, 'log'>, notice: Promise<unknown>): Promise<void> {
  try {
    await notice;
  } catch (error) {
    ports.log.warn({ err: error }, 'message to one person failed');
  }
}
