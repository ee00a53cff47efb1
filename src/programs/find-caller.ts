import type { Program } from '../gate/types.ts';
import { AppError } from '../lib/errors.ts';
import type { Caller, ProgramsSettings } from './ports.ts';
import { unknownProgram } from './texts.ts';

/** Begins the ids of programs at the gate that come with an API key; its name follows. */
export const KEY_PREFIX = 'key:';

/** The program behind an API key. Throws AppError `unknown_program` for one that the operator says nothing of. */
export type FindCaller = (keyName: string) => Omit<Caller, 'isStillIn'>;

/** The name of the program's key; null for one that a person has let in. */
export function keyName(id: Program['id']): string | null {
  return id.startsWith(KEY_PREFIX) ? id.slice(KEY_PREFIX.length) : null;
}

export function createFindCaller(programs: ProgramsSettings): FindCaller {
  return (keyName) => {
    const settings = Object.hasOwn(programs, keyName) ? programs[keyName] : undefined;
    if (settings === undefined) {
      throw new AppError({ code: 'unknown_program', userMessage: unknownProgram(keyName) });
    }
    return { program: { id: `${KEY_PREFIX}${keyName}`, name: settings.title }, settings };
  };
}
