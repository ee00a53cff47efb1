import type { FindCaller } from '../../programs/index.ts';
import type { Caller } from '../../programs/ports.ts';
import type { HttpContext } from '../context.ts';
import { type KeyPorts, readBearer } from './auth.ts';

/**
 * The program behind the key of a request that {@link requireKey} let through: for as long as nobody revokes the key. Throws AppError
 * `unknown_program` for one that the operator says nothing of.
 */
export function keyedCaller(
  c: HttpContext,
  { keys, findCaller }: Pick<KeyPorts, 'keys'> & { readonly findCaller: FindCaller },
): Caller {
  const key = readBearer(c);
  return {
    ...findCaller(c.get('caller').keyName),
    isStillIn: async () => key !== null && (await keys.find(key)) !== null,
  };
}
