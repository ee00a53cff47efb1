import { stepNumbers } from './cards.ts';

interface PlanBounds {
  readonly needs: readonly number[];
  readonly neededBy: readonly number[];
}

/** The form that changes the order of a plan's steps. */
export const PLAN_ORDER = {
  title: 'Order of the steps',
  submit: 'Change order',
  how: 'Give a step another number to move it there. The others make room.',
  /** `needs`: the numbers of the steps that it needs. `neededBy`: of those that need it. */
  bounds: ({ needs, neededBy }: PlanBounds) =>
    [
      ...(needs.length > 0 ? [`Comes after ${stepNumbers(needs)}, which it needs.`] : []),
      ...(neededBy.length > 0
        ? [`Comes before ${stepNumbers(neededBy)}, which ${neededBy.length === 1 ? 'needs' : 'need'} it.`]
        : []),
    ].join(' '),
  stays: (step: string, bounds: string) => `${step} stays where it is. ${bounds}`,
  noneMoves:
    'No step can be moved, because of what each needs. To have another plan, write in the thread what should be different, and send this one back with it.',
  taken: (number: number, step: string) => `“${step}” is to be number ${number} already.`,
  /** `step`: what this one needs. */
  tooEarly: (step: string) => `This needs “${step}”, which would come after it.`,
  /** `step`: what needs this one. */
  tooLate: (step: string) => `“${step}” needs this, and would come before it.`,
  changed: 'The plan has changed since you opened this, so its order was left as it is. Look at it again.',
} as const;
