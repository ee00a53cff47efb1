/** The agents' texts for people; texts for models are in the prompts. */

/** The answer when a run was stopped after too many steps. */
export function tooManySteps(maxSteps: number): string {
  return `I got stuck after ${maxSteps} steps and stopped. What already ran stays done, and nothing else will run. Try a smaller request.`;
}

export const IGNORED = "OK. I didn't run what you ignored, and I stopped there.";
export const NO_ANSWER = 'I have no answer to that.';
export const DONE = 'Done.';
export const THINKING = 'thinking…';

/** The count of actions that succeeded, where the model itself gives no answer. */
export function countDone({ done, all }: { readonly done: number; readonly all: number }): string {
  return `${done} of ${all} actions were done; the others were not.`;
}

/** The answer when a run's calls never had valid arguments; `problems` has one line for each. */
export function argumentsNeverFitted(problems: readonly string[]): string {
  return `I tried three times and could not get the arguments right:\n${problems.join('\n')}\nTell me what to use instead, and I'll try again.`;
}
