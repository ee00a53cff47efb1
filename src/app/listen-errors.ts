import { ConfigError, errorCode } from '../lib/errors.ts';
import { notOurAddress, portForbidden, portTaken } from './texts/start.ts';

/** System error codes for an address that isn't one of this machine's. */
const NO_SUCH_ADDRESS = new Set<unknown>(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL']);

interface Place {
  readonly host: string;
  readonly port: number;
  /** The environment variable that sets the port. */
  readonly variable: 'PORT' | 'WORKSPACE_PORT';
}

/**
 * A ConfigError that explains why a port can't be opened and names the variable; any other error unchanged.
 */
export function whyNotListening(error: unknown, { host, port, variable }: Place): unknown {
  const code = errorCode(error);
  if (NO_SUCH_ADDRESS.has(code)) return new ConfigError(notOurAddress(host), error);
  if (code === 'EACCES') return new ConfigError(portForbidden(port, variable), error);
  return isPortTaken(error) ? new ConfigError(portTaken(port, variable), error) : error;
}

/** A rejection handler that throws {@link whyNotListening}. */
export function failAt(place: Place): (error: unknown) => never {
  return (error) => {
    throw whyNotListening(error, place);
  };
}

export function isPortTaken(error: unknown): boolean {
  return errorCode(error) === 'EADDRINUSE';
}
