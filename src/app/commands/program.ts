import tab from '@bomb.sh/tab/commander';
import { Command, CommanderError } from 'commander';
import { readVersion } from '../../config/package-files.ts';
import { AppError, errorMessage } from '../../lib/errors.ts';
import { BUNDLED } from '../demo-servers/bundled.ts';
import { describeBadUsage, HELP } from '../texts/commands.ts';
import { DOCUMENTS_HELP } from '../texts/documents-eval.ts';
import { type CommandContext, paint, UsageError } from './context.ts';
import type { DocumentsEvalOptions } from './documents-eval.ts';
import type { InitOptions } from './init/init.ts';
import type { ExplainOptions } from './policy.ts';

/** What a command does; false if what it looked for isn't well, and its exit code is 1. */
type Task = () => Promise<boolean | undefined> | Promise<void>;
/** Runs the task of the command that was given. */
type Run = (task: Task) => Promise<void>;

/**
 * Runs the command that the arguments name, and prints what is wrong as a line.
 *
 * @param start starts the program, which then runs on.
 * @returns the exit code: 0 if all is well, 1 if not, 2 if the command line is wrong; null if the program runs on.
 */
export async function runProgram(
  args: readonly string[],
  variables: CommandContext['variables'],
  start: () => Promise<void>,
): Promise<number | null> {
  const context: CommandContext = {
    variables,
    print: (line) => void process.stdout.write(`${line}\n`),
    tell: (line) => void process.stderr.write(`${line}\n`),
  };
  let code: number | null = 0;
  const run: Run = async (task) => {
    if ((await task()) === false) code = 1;
  };
  const program = createProgram(context, run, async () => {
    code = null;
    await start();
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return describeFailure(error, context);
  }
}

/** Says what went wrong, and returns the exit code. */
function describeFailure(error: unknown, { tell }: CommandContext): number {
  // Commander has said it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // Whoever reads it has seen enough: `audit export | head`.
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 0;
  if (error instanceof UsageError) {
    tell(describeBadUsage(error.userMessage));
    return 2;
  }
  tell(error instanceof AppError ? error.userMessage : errorMessage(error));
  return 1;
}

function createProgram(context: CommandContext, run: Run, start: () => Promise<void>): Command {
  const program = new Command('countersign')
    .description(HELP.program)
    .version(readVersion(), '--version', HELP.version)
    .addHelpText('after', HELP.after)
    .configureHelp({
      styleTitle: (text) => paint('bold', text),
      styleCommandText: (text) => paint('cyan', text),
      styleOptionText: (text) => paint('cyan', text),
    })
    .configureOutput({ outputError: (text, write) => write(`${describeBadUsage(text)}\n`) })
    .exitOverride();
  addInit(program, context, run);
  program.command('start').description(HELP.start).action(start);
  program
    .command('doctor')
    .description(HELP.doctor)
    .option('--json', HELP.json)
    .action(({ json = false }: { json?: boolean }) =>
      run(async () => {
        const { runDoctor } = await import('./actions.ts');
        return runDoctor({ ...context, bundled: BUNDLED, json });
      }),
    );
  addPolicy(program, context, run);
  addDocuments(program, context, run);
  addAudit(program, context, run);
  addNotebook(program, context, run);
  addKeys(program, context, run);
  addServers(program, context, run);
  program
    .command('mcp')
    .description(HELP.mcp)
    .addHelpText('after', HELP.mcpAfter)
    .action(() => run(async () => (await import('./actions.ts')).serveMcp(context)));
  program
    .command('forget')
    .description(HELP.forget)
    .option('--person <id>', HELP.forgetPerson)
    .option('--yes', HELP.forgetYes)
    .action(({ person, yes = false }: { person?: string; yes?: boolean }) =>
      run(async () => {
        const { runForget } = await import('./actions.ts');
        return runForget(context.variables, { person, yes }, context.print);
      }),
    );
  tab(program, { completionCommandName: 'completion' });
  program.commands.find((command) => command.name() === 'completion')?.description(HELP.completion);
  return program;
}

function addInit(program: Command, context: CommandContext, run: Run): void {
  program
    .command('init')
    .description(HELP.init)
    .option('--yes', HELP.initYes)
    .option('--force', HELP.initForce)
    .option('--take-over <files...>', HELP.initTakeOver)
    .option('--slack', HELP.initSlack)
    .option('--model <name>', HELP.initModel)
    .option('--base-url <url>', HELP.initBaseUrl)
    .option('--no-calendar', HELP.initCalendar)
    .option('--compose', HELP.initCompose)
    .action((options: InitOptions) =>
      run(async () => {
        const { runInit } = await import('./actions.ts');
        return runInit(context, options);
      }),
    );
}

function addPolicy(program: Command, context: CommandContext, run: Run): void {
  const policy = program.command('policy').description(HELP.policy);
  policy
    .command('test')
    .description(HELP.policyTest)
    .option('--config <file>', HELP.config)
    .option('--tests <file>', HELP.policyTests)
    .action((options: { config?: string; tests?: string }) =>
      run(async () => (await import('./actions.ts')).testPolicy(context, options)),
    );
  policy
    .command('explain')
    .description(HELP.policyExplain)
    .argument('[tool]', HELP.policyCall)
    .argument('[arguments...]', HELP.policyArguments)
    .option('--config <file>', HELP.config)
    .option('--session-has-read <kinds>', HELP.policyHasRead)
    .option('--agents', HELP.policyAgents)
    .action((tool: string | undefined, written: string[], options: ExplainOptions) =>
      run(async () => (await import('./actions.ts')).explainPolicy(context, tool, written, options)),
    );
  policy
    .command('replay')
    .description(HELP.policyReplay)
    .argument('[file]', HELP.policyFile)
    .option('--from <time>', HELP.policyFrom, '30d')
    .action((file: string | undefined, options: { from: string }) =>
      run(async () => (await import('./actions.ts')).printReplay(context, file, options)),
    );
}

function addDocuments(program: Command, context: CommandContext, run: Run): void {
  program
    .command('documents')
    .description(DOCUMENTS_HELP.documents)
    .command('eval')
    .description(DOCUMENTS_HELP.eval)
    .argument('<questions>', DOCUMENTS_HELP.questions)
    .option('--config <file>', HELP.config)
    .option('--misses', DOCUMENTS_HELP.misses)
    .option('--json', HELP.json)
    .option('--against <file>', DOCUMENTS_HELP.against)
    .option('--chart <file>', DOCUMENTS_HELP.chart)
    .action((questions: string, options: DocumentsEvalOptions) =>
      run(async () => (await import('./actions.ts')).evaluateDocuments(context, questions, options)),
    );
}

function addAudit(program: Command, context: CommandContext, run: Run): void {
  const audit = program.command('audit').description(HELP.audit);
  audit
    .command('verify')
    .description(HELP.auditVerify)
    .option('--heads <files...>', HELP.auditHeads)
    .option('--key <keys...>', HELP.auditKey)
    .action((options: { heads?: string[]; key?: string[] }) =>
      run(async () => (await import('./actions.ts')).verifyAudit(context, options)),
    );
  audit
    .command('export')
    .description(HELP.auditExport)
    .option('--thread <id>', HELP.auditThread)
    .option('--from <date>', HELP.auditFrom)
    .option('--to <date>', HELP.auditTo)
    .action((options: { thread?: string; from?: string; to?: string }) =>
      run(async () => (await import('./actions.ts')).exportAudit(context, options)),
    );
  audit
    .command('keys')
    .description(HELP.auditKeys)
    .action(() => run(async () => (await import('./actions.ts')).printAuditKeys(context)));
  audit
    .command('new-key')
    .description(HELP.auditNewKey)
    .action(() => run(async () => (await import('./actions.ts')).printNewAuditKey(context)));
}

function addNotebook(program: Command, context: CommandContext, run: Run): void {
  program
    .command('notebook')
    .description(HELP.notebook)
    .command('verify')
    .description(HELP.notebookVerify)
    .argument('<file>', HELP.notebookFile)
    .option('--key <keys...>', HELP.auditKey)
    .action((file: string, options: { key?: string[] }) =>
      run(async () => (await import('./actions.ts')).verifyNotebook(context, file, options)),
    );
}

function addKeys(program: Command, context: CommandContext, run: Run): void {
  const keys = program.command('keys').description(HELP.keys);
  keys
    .command('create')
    .description(HELP.keysCreate)
    .argument('<name>', HELP.keysName)
    .option('--scope <scopes>', HELP.keysScope, 'run')
    .action((name: string, { scope }: { scope: string }) =>
      run(async () => (await import('./actions.ts')).createKey(context, name, scope)),
    );
  keys
    .command('list')
    .description(HELP.keysList)
    .action(() => run(async () => (await import('./actions.ts')).listKeys(context)));
  keys
    .command('revoke')
    .description(HELP.keysRevoke)
    .argument('<name>', HELP.keysName)
    .action((name: string) => run(async () => (await import('./actions.ts')).revokeKey(context, name)));
}

function addServers(program: Command, context: CommandContext, run: Run): void {
  program
    .command('servers')
    .description(HELP.servers)
    .command('review')
    .description(HELP.serversReview)
    .option('--accept [names...]', HELP.serversAccept)
    .action(({ accept }: { accept?: true | string[] }) =>
      run(async () => {
        const { reviewServers } = await import('./actions.ts');
        return reviewServers(context, accept === true ? [] : (accept ?? null));
      }),
    );
}
