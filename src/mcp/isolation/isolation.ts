import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { AppError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Protection } from '../config/sandbox.ts';
import type { StdioServerConfig } from '../config/schema.ts';
import { programMissing } from '../texts/connection.ts';
import {
  MEMORY_NEEDS_LINUX,
  NEEDS_LINUX,
  notInstalled,
  notIsolated,
  sandboxFolderMissing,
  tooLittle,
} from '../texts/isolation.ts';
import { acceptableProtections } from './choose.ts';
import { findProgram, type Launch } from './launch.ts';
import { bubblewrapArguments, describeView, findMissingFolder, type OwnPaths } from './namespace.ts';
import { findServerUser, type ServerUser, setprivArguments } from './other-user.ts';
import { findSecretAbove, probe } from './probe.ts';

interface IsolationOptions extends OwnPaths {
  /** Starts no server that could get at our files. */
  readonly strict: boolean;
  /** The user of the system that servers run as, where that is how they're isolated. */
  readonly user: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** What a launch needs to know of a server. */
type Program = Pick<StdioServerConfig, 'command' | 'args' | 'env' | 'cwd' | 'sandbox'>;

/** Keeps servers' processes away from this one. */
export interface Isolation {
  /**
   * How to start a server's process, behind the strongest protection that its entry and this machine allow.
   * @throws AppError `mcp_not_isolated` if there is none, `mcp_no_program` or `mcp_no_folder` if its program or a folder
   *   of its sandbox doesn't exist, or
   *   `mcp_isolation_unknown` if a protection could not be tried in time.
   */
  plan(server: string, program: Program): Promise<Launch>;
  /** The protection with which a server was last started; null if it wasn't. */
  protection(server: string): Protection | null;
}

/** Starts servers as they are. For programs that have nothing to hide from them. */
export const withoutIsolation: Isolation = {
  plan: async (_server, { command, args, env }) => ({ command, args, env }),
  protection: () => null,
};

/**
 * Isolation of servers' processes by the protections that hold on this machine. Each is tried for real before
 * it's first used, and then counts as long as this process runs. See docs/decisions/0045.
 */
export class ProcessIsolation implements Isolation {
  readonly #options: IsolationOptions;
  readonly #path = getDefaultEnvironment().PATH ?? '';
  /** Why each protection doesn't hold; null if it does. */
  readonly #problems = new Map<Protection, Promise<string | null>>();
  readonly #protections = new Map<string, Protection>();

  constructor(options: IsolationOptions) {
    this.#options = options;
  }

  protection(server: string): Protection | null {
    return this.#protections.get(server) ?? null;
  }

  async plan(server: string, program: Program): Promise<Launch> {
    if (program.sandbox.memory !== undefined && process.platform !== 'linux') {
      throw new AppError({ code: 'mcp_not_isolated', userMessage: MEMORY_NEEDS_LINUX });
    }
    const { protection, problems } = await this.#choose(program);
    const launch = await this.#launch(protection, program);
    this.#announce(server, protection, problems);
    return launch;
  }

  async #choose({ sandbox }: Program) {
    const problems: string[] = [];
    for (const protection of acceptableProtections(sandbox, this.#options)) {
      const problem = await this.#problem(protection);
      if (problem === null) return { protection, problems };
      problems.push(`${protection}: ${problem}`);
    }
    const why = problems.length === 0 ? [tooLittle(sandbox.protection)] : problems;
    throw new AppError({ code: 'mcp_not_isolated', userMessage: notIsolated(why) });
  }

  /** Says once per server how it's isolated. */
  #announce(server: string, protection: Protection, problems: readonly string[]): void {
    if (this.#protections.get(server) === protection) return;
    this.#protections.set(server, protection);
    const { logger } = this.#options;
    if (protection === 'none') {
      const why = problems.length === 0 ? {} : { why: problems };
      logger.warn({ server, ...why }, 'server is not isolated: it can read what this program can');
    } else {
      logger.info({ server, protection }, 'server is isolated');
    }
  }

  #problem(protection: Protection): Promise<string | null> {
    const known = this.#problems.get(protection) ?? this.#try(protection);
    this.#problems.set(protection, known);
    // What could not be found out is no answer for the next time.
    known.catch(() => this.#problems.delete(protection));
    return known;
  }

  async #try(protection: Protection): Promise<string | null> {
    if (protection === 'none') return null;
    if (process.platform !== 'linux') return NEEDS_LINUX;
    const { hidden } = this.#options;
    const launch = (command: string, args: readonly string[]) =>
      this.#launch(protection, { command, args: [...args], env: {}, sandbox: WHOLE_MACHINE });
    try {
      if (protection === 'parent') {
        return (await probe({ paths: [], signals: false, launch })) ?? (await findSecretAbove());
      }
      return await probe({ paths: hidden, signals: true, launch });
    } catch (error) {
      if (error instanceof AppError && !error.retryable) return error.userMessage;
      throw error;
    }
  }

  async #launch(protection: Protection, program: Program): Promise<Launch> {
    const { command, args, env } = program;
    if (protection === 'none' || protection === 'parent') return { command, args, env };
    // By now a program that doesn't exist would be bubblewrap's error.
    const found = await findProgram(command, { path: env.PATH ?? this.#path, cwd: program.cwd });
    if (found === null) {
      throw new AppError({ code: 'mcp_no_program', userMessage: programMissing(command, program.cwd) });
    }
    if (protection === 'user') {
      const user = await this.#user();
      const identity = { HOME: user.home, USER: user.name, LOGNAME: user.name };
      return {
        command: await this.#tool('setpriv'),
        args: [...setprivArguments(user), command, ...args],
        env: { ...identity, ...env },
      };
    }
    const view = await describeView(program, found, this.#options);
    const missing = await findMissingFolder(view);
    if (missing !== null) {
      throw new AppError({ code: 'mcp_no_folder', userMessage: sandboxFolderMissing(missing) });
    }
    return {
      command: await this.#tool('bwrap'),
      args: [...bubblewrapArguments(view), command, ...args],
      env,
    };
  }

  async #user(): Promise<ServerUser> {
    const user = await findServerUser(this.#options.user);
    if (typeof user === 'string') throw new AppError({ code: 'mcp_not_isolated', userMessage: user });
    return user;
  }

  async #tool(name: string): Promise<string> {
    const found = await findProgram(name, { path: this.#path });
    if (found !== null) return found;
    throw new AppError({ code: 'mcp_not_isolated', userMessage: notInstalled(name) });
  }
}

/** As a server is shown the machine whose entry says nothing. */
const WHOLE_MACHINE = { protection: 'auto', network: true } as const;
