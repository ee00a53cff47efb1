import { FUNCTION_OF_PROGRAM, type ProgramRules } from '../gate/types.ts';
import { keyName } from './find-caller.ts';
import type { KeyState, PersonalProgramsSettings, ProgramsSettings } from './ports.ts';
import { MAY_NOT_CALL } from './texts.ts';

interface ProgramAccessPorts {
  readonly programs: ProgramsSettings;
  /** Absent where people may connect no programs of their own. */
  readonly personal: PersonalProgramsSettings | undefined;
  /** How the API keys of these names stand. */
  readonly keyStates: (names: readonly string[]) => Promise<readonly KeyState[]>;
  /** Whether a person still lets in the program with this id. */
  readonly isLetIn: (program: string) => Promise<boolean>;
  /** Whether globs of settings match `server.tool`. */
  readonly matches: (globs: readonly string[], tool: string) => boolean;
}

/**
 * Which calls programs may still make: their key is in force, `countersign.yaml` has an entry for them, and it names the
 * tool. Asked about each call that is on record before it may run.
 */
export class ProgramAccess implements ProgramRules {
  readonly #ports: ProgramAccessPorts;
  /** The keys of programs that were revoked at the last look; null before the first. */
  #revoked: ReadonlySet<string> | null = null;
  #doubts = 0;

  constructor(ports: ProgramAccessPorts) {
    this.#ports = ports;
  }

  readonly refusal: ProgramRules['refusal'] = async ({ id, name }, { server, name: tool }) => {
    const { programs, personal, keyStates, isLetIn, matches } = this.#ports;
    const key = keyName(id);
    const settings = key === null ? personal : Object.hasOwn(programs, key) ? programs[key] : undefined;
    if (!settings) return MAY_NOT_CALL.noEntry(name);
    const isIn = key === null ? await isLetIn(id) : (await keyStates([key]))[0] === 'in_force';
    if (!isIn) return key === null ? MAY_NOT_CALL.takenAway(name) : MAY_NOT_CALL.revoked(name);
    // Functions of its own are no tools of a server, so that its entry names none of them.
    if (server === FUNCTION_OF_PROGRAM.server || matches(settings.tools, `${server}.${tool}`)) return null;
    return MAY_NOT_CALL.otherTools(name);
  };

  /**
   * Looks which keys were revoked, and calls `whenShrunk` for new ones; also at the first look, as what programs may do can
   * have changed before. What fails then is done at the next look.
   */
  async look(whenShrunk: () => Promise<unknown>): Promise<void> {
    const before = this.#revoked;
    const doubts = this.#doubts;
    const keys = Object.keys(this.#ports.programs);
    const states = await this.#ports.keyStates(keys);
    const revoked = new Set(keys.filter((_key, index) => states[index] === 'revoked'));
    if (before === null || [...revoked].some((key) => !before.has(key))) {
      this.#revoked = null;
      await whenShrunk();
    }
    // What came up meanwhile is for the next look.
    this.#revoked = this.#doubts === doubts ? revoked : null;
  }

  /** The next look takes it that a program may do less. */
  doubt(): void {
    this.#revoked = null;
    this.#doubts += 1;
  }
}
