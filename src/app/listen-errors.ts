import { ConfigError, errorCode } from '../lib/errors.ts';

/** System error codes for an address that isn't one of this machine's. */
const NO_SUCH_ADDRESS = new Set<unknown>(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL']);

export interface Place {
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
  if (NO_SUCH_ADDRESS.has(code)) {
    return new ConfigError(
      `HOST=${host} is not an address of this machine. ` +
        'Set HOST to one: 127.0.0.1 is reached from this machine only, 0.0.0.0 from others too.',
      error,
    );
  }
  if (code === 'EACCES') {
    return new ConfigError(
      `Port ${port} may not be used by this user. Set ${variable} to another one, such as one above 1023.`,
      error,
    );
  }
  if (!isPortTaken(error)) return error;
  return new ConfigError(
    `Port ${port} is taken. Stop what uses it, or set ${variable} to another one (0: any free one).`,
    error,
  );
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
