import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { AppError } from '../../../lib/errors.ts';
import { CANCELLED, filesExist, initialised, keptAs, NO_TERMINAL } from '../../texts/init.ts';
import { RESERVED_FILE } from '../../texts/start.ts';
import { type CommandContext, UsageError } from '../context.ts';
import { readModelName, requireUsable } from './checks.ts';
import { type Answers, configurationFiles, missingSettings } from './files.ts';
import { takeOver } from './take-over.ts';

const ENV = '.env';
/** What `.env` would have been, where that stays as it is. */
const ENV_BESIDE = '.env.new';

/** The options of `init`; without `yes`, most of it is asked for. */
export interface InitOptions {
  /** Asks nothing. */
  readonly yes?: true;
  /** Overwrites files that are there. */
  readonly force?: true;
  /** Files of other programs whose servers are taken over. */
  readonly takeOver?: readonly string[];
  readonly slack?: true;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly calendar: boolean;
  readonly compose?: true;
}

/**
 * Writes `.env`, `countersign.yaml` and, asked for, `compose.yaml` into this folder. A file that is there is only
 * replaced with `force`, or after asking, and kept as `.bak`. Where `.env` stays, what was taken over for it is written to `.env.new`.
 *
 * @returns whether all of it was written, and every server taken over.
 */
export async function runInit(context: CommandContext, options: InitOptions): Promise<boolean> {
  const isAsking = !options.yes;
  if (isAsking && !(process.stdin.isTTY && process.stdout.isTTY)) throw new UsageError(NO_TERMINAL);
  await requireUsable(options);
  const questions = isAsking ? await import('./questions.ts') : null;
  try {
    const answers = questions
      ? await questions.askAnswers(context.variables, options.takeOver ?? [])
      : await readAnswers(options, context);
    const files = configurationFiles(answers);
    const existing = options.force ? [] : [...files.keys()].filter(isInUse);
    if (existing.length > 0 && !questions) {
      throw new AppError({ code: 'files_exist', userMessage: filesExist(existing) });
    }
    const kept = new Set<string>();
    for (const file of existing) if (!(await questions?.askToOverwrite(file))) kept.add(file);
    const written = new Map([...files].filter(([file]) => !kept.has(file)));
    // The other files refer to what was taken over, which must not be lost with a `.env` that stays.
    const hasSecrets = answers.takenOver.variables.size > 0;
    if (kept.has(ENV) && written.size > 0 && hasSecrets) written.set(ENV_BESIDE, files.get(ENV) ?? '');
    for (const [file, content] of written) {
      // What was there is kept beside: it may hold the only copy of a token.
      if (isInUse(file)) {
        renameSync(file, `${file}.bak`);
        context.tell(keptAs(file, `${file}.bak`));
      }
      // Before they are written: `.env` holds secrets, and a file that is there keeps its mode.
      if ((file === ENV || file === ENV_BESIDE) && existsSync(file)) chmodSync(file, 0o600);
      writeFileSync(file, content, { mode: 0o600 });
    }
    for (const line of answers.takenOver.leftOut) context.tell(line);
    context.print(initialised([...written.keys()], missingSettings(answers)));
    return kept.size === 0 && answers.takenOver.leftOut.length === 0;
  } catch (error) {
    if (!questions || !(error instanceof questions.Cancelled)) throw error;
    context.tell(CANCELLED);
    return false;
  }
}

async function readAnswers(options: InitOptions, { variables }: CommandContext): Promise<Answers> {
  const { slack, model, baseUrl = '', calendar, compose } = options;
  return {
    slack: slack ? { botToken: '', appToken: '' } : null,
    model: model === undefined ? null : { name: readModelName(model), baseUrl: baseUrl.trim(), apiKey: '' },
    takenOver: await takeOver(options.takeOver ?? [], variables),
    hasCalendar: calendar,
    hasCompose: compose ?? false,
  };
}

/** Whether a file holds anything of somebody's. */
function isInUse(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8') !== RESERVED_FILE;
}
