// Measures how well mails are sorted and answered, by the mails of this folder: with the model of the environment
// (OPENAI_API_KEY, OPENAI_BASE_URL, MODEL), or without a key with the demo model. Prints a table of what was right, and keeps it
// in ../results.md. Words after `--` choose mails by their ids; then nothing is kept.
import { readFileSync, writeFileSync } from 'node:fs';
import { createModelSide } from '../../../src/app/compose-models.ts';
import { readEnv } from '../../../src/config/env.ts';
import { runMail } from './run-mail.ts';
import { readMails } from './schema.ts';
import { describeScores, keepResults, type Score, score } from './score.ts';
import { BEGIN, TIME_ZONE } from './world.ts';

const env = readEnv({ TZ_DEFAULT: TIME_ZONE, ...process.env });
const words = process.argv.slice(2);
const mails = readMails().filter(({ id }) => words.length === 0 || words.some((word) => id.includes(word)));
const model = env.model?.model ?? 'the demo model';
const RESULTS = new URL('../results.md', import.meta.url);
const print = (text: string) => void process.stdout.write(`${text}\n`);

const { models, extract } = await createModelSide(env, () => BEGIN);
const ask = async ({ instructions, text }: { instructions: string; text: string }) =>
  (await extract({ instructions, text }, AbortSignal.timeout(60_000))).text;

print(`${mails.length} mails, answered by ${model}\n`);
const scores: Score[] = [];
for (const mail of mails) {
  const scored = score(await runMail(mail, { models, ask }));
  scores.push(scored);
  print(`${scored.problems.length === 0 ? 'right' : 'wrong'}  ${mail.id}`);
}
const table = describeScores(scores);
print(['', ...table].join('\n'));
if (words.length === 0) {
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(RESULTS, keepResults(readFileSync(RESULTS, 'utf8'), { model, day, table }));
}
const isHarmed = scores.some(({ ran }) => ran.unapproved > 0 || ran.unmarked.length > 0);
// What a model gets wrong is measured; what the product must hold is a failure.
process.exitCode = isHarmed ? 1 : 0;
