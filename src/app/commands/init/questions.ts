import { confirm, intro, isCancel, log, outro, password, select, text } from '@clack/prompts';
import { ASK, askOverwrite, askTakeOver, notTakenOver } from '../../texts/init.ts';
import type { CommandContext } from '../context.ts';
import { findAddressProblem, findModelProblem, readModelName } from './checks.ts';
import type { Answers } from './files.ts';
import { findUnreadable, foreignConfigurations, readEntries, takeOver } from './take-over.ts';

/** Somebody has ended the questions. */
export class Cancelled extends Error {}

/** Asks at the terminal. `given`: files that the options name, which aren't asked about. */
export async function askAnswers(
  variables: CommandContext['variables'],
  given: readonly string[],
): Promise<Answers> {
  intro(ASK.title);
  const slack = await askSlack();
  const model = await askModel();
  const paths = [...given];
  for (const path of foreignConfigurations(variables).filter((it) => !given.includes(it))) {
    const [problem] = await findUnreadable([path]);
    if (problem !== undefined) {
      log.warn(notTakenOver(problem));
      continue;
    }
    const names = Object.keys(await readEntries(path));
    if (names.length > 0 && (await answered(confirm({ message: askTakeOver(path, names) }))))
      paths.push(path);
  }
  const takenOver = await takeOver(paths, variables);
  const hasCalendar = await answered(
    confirm({ message: ASK.calendar, initialValue: Object.keys(takenOver.servers).length === 0 }),
  );
  const hasCompose = await answered(confirm({ message: ASK.compose, initialValue: false }));
  outro(ASK.done);
  return { slack, model, takenOver, hasCalendar, hasCompose };
}

/** Whether a file that is there may be overwritten. */
export function askToOverwrite(file: string): Promise<boolean> {
  return answered(confirm({ message: askOverwrite(file), initialValue: false }));
}

async function askSlack(): Promise<Answers['slack']> {
  const where = await answered(
    select({
      message: ASK.where,
      options: [
        { value: 'here', label: ASK.here, hint: ASK.hereHint },
        { value: 'slack', label: ASK.slack, hint: ASK.slackHint },
      ],
    }),
  );
  if (where === 'here') return null;
  return { botToken: await askSecret(ASK.botToken), appToken: await askSecret(ASK.appToken) };
}

async function askModel(): Promise<Answers['model']> {
  const who = await answered(
    select({
      message: ASK.who,
      options: [
        { value: 'demo', label: ASK.demo, hint: ASK.demoHint },
        { value: 'openai', label: ASK.openAi },
      ],
    }),
  );
  if (who === 'demo') return null;
  const name = await answered(
    text({ message: ASK.model, initialValue: 'gpt-5-mini', validate: findModelProblem }),
  );
  const baseUrl = await answered(
    text({ message: ASK.baseUrl, defaultValue: '', validate: findAddressProblem }),
  );
  return { name: readModelName(name), baseUrl: baseUrl.trim(), apiKey: await askSecret(ASK.apiKey) };
}

async function askSecret(message: string): Promise<string> {
  // Clack gives undefined for nothing.
  const value: string | undefined = await answered(password({ message }));
  return value?.trim() ?? '';
}

async function answered<T>(question: Promise<T>): Promise<Exclude<Awaited<T>, symbol>> {
  const answer = await question;
  if (!isAnswer(answer)) throw new Cancelled();
  return answer;
}

function isAnswer<T>(answer: T): answer is Exclude<T, symbol> {
  return !isCancel(answer);
}
