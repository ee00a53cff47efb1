import { isSamePerson } from './actor.ts';
import { type ApprovalTerms, type ApproverRef, REQUESTER_ALONE } from './approver-rules.ts';
import { barOf } from './bars.ts';
import type { People, Standing } from './people.ts';
import { type Actor, type CallRecord, nameOfVoice, type Vote } from './types.ts';

/**
 * Whether this person has the word on a request as a whole: takes it back, answers what a server or the
 * model asks for. `asked` is the request; the call itself where it belongs to none. Who may approve a call
 * is {@link wordOn}.
 */
export function mayDecide(asked: { readonly requester: Actor }, actor: Actor): boolean {
  return asked.requester.id === actor.id;
}

/** What must be there before the call runs. A question is for whoever asked, whatever the rules say of tools. */
export function termsOf(call: CallRecord): ApprovalTerms {
  return (call.kind === 'tool' ? call.verdict.approval : undefined) ?? REQUESTER_ALONE;
}

/** Whether one person can let it be: not where it takes several to reject it. */
export function mayBeIgnored(call: CallRecord): boolean {
  return termsOf(call).rejections === 1;
}

/** How far a call is on its way to approval. */
export interface Tally {
  /** The step that people are asked about now, from 0; the number of steps when all are done. */
  readonly step: number;
  /** Who approved this step so far, by name. */
  readonly approved: readonly string[];
  /** How many must approve this step in all; 0 when all are done. */
  readonly needed: number;
  readonly from: readonly ApproverRef[];
  /** Who rejected so far, by name, where one rejection does not end it. */
  readonly rejected: readonly string[];
}

export function tallyOf(call: CallRecord): Tally {
  const { steps } = termsOf(call);
  const votes = call.votes ?? [];
  const rejected = votes.filter(({ type }) => type === 'reject').map(nameOfVoice);
  const approvedIn = (step: number) =>
    votes.filter((vote) => vote.type !== 'reject' && vote.step === step).map(nameOfVoice);
  const step = steps.findIndex(({ quorum }, index) => approvedIn(index).length < quorum);
  const asked = steps[step];
  if (!asked) return { step: steps.length, approved: [], needed: 0, from: [], rejected };
  const from = [...new Set([...asked.from, ...addedAt(call, step)])];
  return { step, approved: approvedIn(step), needed: asked.quorum, from, rejected };
}

/** Who was added for this step, since nobody decided. Whom the rule that holds now does not add, counts no more. */
function addedAt(call: CallRecord, step: number): readonly ApproverRef[] {
  const mayBeAdded = new Set(call.verdict.time?.ladder.flatMap(({ add }) => add));
  const climbed = call.timing?.climbed.filter((rung) => rung.step === step) ?? [];
  return climbed.flatMap(({ add }) => add).filter((ref) => mayBeAdded.has(ref));
}

/** What somebody may say of a call: their vote counts in this step, or why it does not. */
export type Word =
  | { readonly may: true; readonly step: number }
  | { readonly may: false; readonly why: string };

/**
 * Whether this person's word counts on the call as it stands, by what is known of them at this moment. The one
 * place where that is decided. An unknown person, an empty group and one that nobody knows count for nothing.
 * `word`: `other` for what approves nothing, such as a rejection, which less stands in the way of.
 * @throws `StandingUnknownError` when it cannot be found out now.
 */
export async function wordOn(
  people: People | undefined,
  call: CallRecord,
  actor: Actor,
  word: 'approval' | 'other' = 'approval',
): Promise<Word> {
  const terms = termsOf(call);
  const { step, from } = tallyOf(call);
  const isRequester = isSamePerson(actor, call.requester);
  if (terms.excludeRequester && isRequester) {
    return { may: false, why: 'You asked for this, so somebody else must decide.' };
  }
  // Whoever spoke has had their say, in whatever step and in whosever place.
  const spoken = (call.votes ?? []).find(
    (vote) =>
      !vote.earlier && (isSamePerson(vote.actor, actor) || (vote.for && isSamePerson(vote.for, actor))),
  );
  if (spoken) {
    const why = isSamePerson(spoken.actor, actor)
      ? countedAlready(call, spoken)
      : `${spoken.actor.name} has decided in your place already.`;
    return { may: false, why };
  }
  if (!(await isAmong(people, from, call, actor))) {
    return { may: false, why: `Only ${await whoDecides(people, call)} may decide this.` };
  }
  const bar = word === 'approval' ? barOf(call, terms, step, actor) : null;
  const why = bar ?? refusalOf(await standingAmong(people, from, call, actor));
  return why === null ? { may: true, step } : { may: false, why };
}

/** To somebody who has had their word, and how far it is: `Your approval is already counted: 1 of 2.` */
function countedAlready(call: CallRecord, { type, step }: Vote): string {
  const tally = tallyOf(call);
  if (type === 'reject') {
    return `Your rejection is already counted: ${tally.rejected.length} of ${termsOf(call).rejections}.`;
  }
  const far = step === tally.step ? `: ${tally.approved.length} of ${tally.needed}.` : '; others decide now.';
  return `Your approval is already counted${far}`;
}

/** Why an account of this standing decides nothing, in a sentence; null for a member, who may. */
export function refusalOf(standing: Standing): string | null {
  return REFUSED[standing];
}

const REFUSED: Record<Standing, string | null> = {
  member: null,
  guest: 'Guests may not decide this, unless the policy names them.',
  deactivated: 'This account is deactivated, so its word does not count.',
  stranger: 'People of other organisations may not decide this, unless the policy names them.',
  unknown: 'Slack does not know this account, so its word does not count.',
  app: 'Apps decide nothing.',
};

/** Standings that nobody is named in spite of: there is nobody to decide, or nobody that is a person. */
const NOBODY: readonly Standing[] = ['deactivated', 'unknown', 'app'];

/** What an account is to a call that these decide: a guest or stranger whom they name counts as a member. */
async function standingAmong(
  people: People | undefined,
  from: readonly ApproverRef[],
  call: CallRecord,
  actor: Actor,
): Promise<Standing> {
  const standing = await standingOf(people, call, actor);
  return isNamed(from, actor) && !NOBODY.includes(standing) ? 'member' : standing;
}

/** Whether one of these means the person by themselves, not as a member of something. */
function isNamed(from: readonly ApproverRef[], { id }: Actor): boolean {
  return from.some((ref) => isPerson(ref, id));
}

/** `user:` is a user of Slack by their id, of whatever team (see {@link isSamePerson}); `api:` a key's own id. */
function isPerson(ref: ApproverRef, id: string): boolean {
  if (ref.startsWith('api:')) return ref === id;
  return ref.startsWith('user:') && isSamePerson({ id }, { id: `slack::${ref.slice('user:'.length)}` });
}

async function isAmong(
  people: People | undefined,
  from: readonly ApproverRef[],
  call: CallRecord,
  actor: Actor,
): Promise<boolean> {
  if (isNamed(from, actor)) return true;
  if (from.includes('requester') && actor.id === call.requester.id) return true;
  for (const ref of from) {
    if (ref !== 'channel' && !ref.startsWith('group:')) continue;
    if (people && (await people.belongs(actor, ref, call.threadId))) return true;
  }
  return false;
}

/**
 * Whether this person may say what became of a call of which nobody knows: whoever asked, whoever approved it, and
 * everybody who could have.
 * @throws `StandingUnknownError` when it cannot be found out now.
 */
export async function mayTell(people: People | undefined, call: CallRecord, actor: Actor): Promise<boolean> {
  if (actor.id === call.requester.id || actor.id === call.decision?.actor.id) return true;
  const everybody = termsOf(call).steps.flatMap(({ from }, step) => [...from, ...addedAt(call, step)]);
  if (!(await isAmong(people, everybody, call, actor))) return false;
  return (await standingAmong(people, everybody, call, actor)) === 'member';
}

async function standingOf(people: People | undefined, call: CallRecord, actor: Actor): Promise<Standing> {
  // Whoever decides for themselves alone is not looked up at every click.
  const fresh = call.verdict.approval !== undefined;
  return people ? people.standing(actor, call.threadId, { fresh }) : 'member';
}

/** Whoever asked, or who decides what they may decide in their place: `Bob for Ana`. */
export function nameOfRequester({ requester, handOvers = [] }: CallRecord): string {
  const handed = handOvers.find(({ from }) => from.id === requester.id);
  return handed ? nameOfVoice({ actor: handed.to, for: requester }) : requester.name;
}

/** Who is asked now, in words: `Ana`, `2 of @finance or Bob`. */
export async function whoDecides(people: People | undefined, call: CallRecord): Promise<string> {
  const { from, needed } = tallyOf(call);
  const names = await Promise.all(
    from.map(async (ref) => {
      if (ref === 'requester') return nameOfRequester(call);
      if (ref === 'channel') return 'members of this channel';
      return people ? people.nameOf(ref) : ref.slice(ref.indexOf(':') + 1);
    }),
  );
  return inWords(from, names, needed);
}

/** `Ana`, `Bob or Carol`, `Bob and Carol` where both must, `2 of @finance, Bob`. The names are in the order of `from`. */
export function inWords(from: readonly ApproverRef[], names: readonly string[], needed: number): string {
  const before = joinedAround(from, names.length, needed);
  return names.map((name, index) => `${before[index] ?? ''}${name}`).join('');
}

/** What stands before each of so many names in {@link inWords}. */
export function joinedAround(from: readonly ApproverRef[], count: number, needed: number): readonly string[] {
  const isEverybody = needed === count && !from.some((ref) => ref === 'channel' || ref.startsWith('group:'));
  const isSome = needed > 1 && !isEverybody;
  const last = isSome ? ', ' : needed > 1 ? ' and ' : ' or ';
  return Array.from({ length: count }, (_, index) => {
    if (index === 0) return isSome ? `${needed} of ` : '';
    return index === count - 1 ? last : ', ';
  });
}
