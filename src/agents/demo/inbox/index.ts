import { demoExtract } from '../memory.ts';
import { demoLearn } from './learn.ts';
import { demoTriage } from './triage.ts';

export { replyToMail } from './respond.ts';

/**
 * The answer of a model that is asked beside runs: how a mail is to be dealt with, what a changed draft says of its person, or what
 * somebody says of themselves. The first two are asked as JSON.
 */
export function demoAnswerBeside(question: string): string {
  const json = readJson(question);
  return (json === null ? null : (demoTriage(json) ?? demoLearn(json))) ?? demoExtract(question);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
