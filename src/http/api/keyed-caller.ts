import type { FindCaller } from '../../programs/index.ts';
import type { Caller } from '../../programs/ports.ts';
import type { HttpContext } from '../context.ts';
import { type KeyPorts, readBearer } from './auth.ts';
import type { Reader } from './open-streams.ts';

/**
 * The program behind the key of a request that {@link requireKey} let through: for as long as nobody revokes the key. Throws AppError
 * `unknown_program` for one that the operator says nothing of.
 */
export function keyedCaller(
  c: HttpContext,
  { keys, findCaller }: Pick<KeyPorts, 'keys'> & { readonly findCaller: FindCaller },
): Caller {
  const { name, isStillIn } = keyedReader(c, { keys });
  return { ...findCaller(name), isStillIn };
}

/** Whoever reads a stream with the key of a request: for as long as nobody revokes it. */
export function keyedReader(c: HttpContext, { keys }: Pick<KeyPorts, 'keys'>): Reader {
  const token = readBearer(c);
  const { keyName: name } = c.get('caller');
  return { name, token, isStillIn: async () => token !== null && (await keys.find(token)) !== null };
}
