import { sha256Hex } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import { createListeners } from '../../lib/listeners.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Caller, ConnectedPrograms, PersonalProgramsSettings } from '../../programs/ports.ts';
import type { Store } from '../../storage/store.ts';
import type { GrantedProgram } from './collections.ts';
import { PATHS } from './paths.ts';
import { AuthorizationRecords } from './records.ts';

interface PersonalProgramsPorts {
  readonly records: AuthorizationRecords;
  readonly settings: PersonalProgramsSettings;
  /** Where browsers reach this program, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Whether this Slack user is still there, as Slack said within minutes. */
  readonly isStillMember: (person: string) => Promise<boolean>;
  readonly log: Logger;
}

/** The programs that people have let in, each to call tools as them. */
export class PersonalPrograms implements ConnectedPrograms {
  readonly #ports: PersonalProgramsPorts;
  readonly #changes = createListeners<[person: string]>();
  readonly #ends = createListeners<[program: string, person: string]>();

  constructor(ports: PersonalProgramsPorts) {
    this.#ports = ports;
    ports.records.onEnd((program) =>
      this.#noteEnd(program).catch((err: unknown) =>
        ports.log.error({ err }, 'the end of a program was not told'),
      ),
    );
  }

  /**
   * The program with this access token; `over` for one that counts no more: after its time, or because its person has
   * left; null for one that is unknown, as one that was taken away is, or not for `/mcp`.
   */
  readonly find = async (token: string): Promise<Caller | 'over' | null> => {
    const { records, publicUrl, isStillMember } = this.#ports;
    const access = await records.find('AccessToken', token);
    if (!access) return (await records.isKnown('AccessToken', token)) ? 'over' : null;
    const { grant } = access;
    if (!grant || access.payload.aud !== `${publicUrl()}${PATHS.resource}`) return null;
    const program = (await records.find('Grant', grant))?.program;
    if (!program || program.person !== access.payload.accountId) return null;
    if (!(await isStillMember(program.person))) return 'over';
    const { person, name } = program;
    return {
      program: { id: programId(program), name },
      settings: { ...this.#ports.settings, title: name, person },
      isStillIn: async () =>
        (await records.find('Grant', grant)) !== null && (await isStillMember(program.person)),
    };
  };

  /** Notes what a grant lets in. */
  async letIn(grant: string, program: GrantedProgram): Promise<void> {
    await this.#ports.records.describe(grant, program);
    this.#changes.notify(program.person);
  }

  /** Calls `listener` with whoever has let a program in, or has taken one away. Returns how to stop that. */
  readonly onChange = (listener: (person: string) => void) => this.#changes.add(listener);

  /** Calls `listener` with the id at the gate of a program that was taken away, or that revoked itself, and its person. */
  readonly onEnd = (listener: (program: string, person: string) => void) => this.#ends.add(listener);

  readonly list: ConnectedPrograms['list'] = async (person) =>
    (await this.#ports.records.listPrograms(person)).flatMap(({ id, value: { program } }) =>
      program ? [{ id, name: program.name, connectedAt: program.connectedAt }] : [],
    );

  readonly end: ConnectedPrograms['end'] = async (person, id) => {
    const { records } = this.#ports;
    const ended = (await records.listPrograms(person)).find((it) => it.id === id)?.value;
    if (!ended?.grant || !ended.program) return;
    await records.endGrant(ended.grant);
  };

  /** Tells of a program that is let in by no other grant either. */
  async #noteEnd(ended: GrantedProgram): Promise<void> {
    const { person } = ended;
    this.#changes.notify(person);
    const program = programId(ended);
    if (!(await isLetIn(this.#ports.records, program))) this.#ends.notify(program, person);
  }
}

/** Finds out whether a person still lets in the program with this id at the gate. */
export function createIsLetIn(ports: { readonly store: Store; readonly clock: Clock }) {
  const records = new AuthorizationRecords(ports);
  return (program: string): Promise<boolean> => isLetIn(records, program);
}

async function isLetIn(records: AuthorizationRecords, id: string): Promise<boolean> {
  const [, person = ''] = id.split(':');
  const granted = await records.listPrograms(person);
  return granted.some(({ value: { program } }) => program !== null && programId(program) === id);
}

/** Identifies a program at the gate: the same for the same client that is let in again, so that it finds its calls. */
function programId({ person, client }: GrantedProgram): string {
  return `oauth:${person}:${sha256Hex(client)}`;
}
