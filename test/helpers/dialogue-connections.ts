import type { View } from '@countersign/slack-emulator';
import { expect } from 'vitest';
import { z } from 'zod';
import type { ExampleServer } from '../fixtures/oauth/example-server.ts';
import { createBrowser, type Page } from './browser.ts';
import { nothing, type StepKind, stepKind } from './dialogue.ts';
import { type DialogueWorld, holdsAll, linesOf, until } from './dialogue-world.ts';

const WHO = '(?<who>ana|bob|carol)';

const linkSchema = z.object({
  elements: z.array(z.looseObject({ action_id: z.string(), url: z.string().optional() })),
});

/** What the people of one dialogue hold, by their names: the last link of each, and the page they look at. */
interface Held {
  readonly links: Map<string, string>;
  readonly pages: Map<string, Page>;
}
const held = new WeakMap<DialogueWorld, Held>();

function heldIn(world: DialogueWorld): Held {
  const known = held.get(world) ?? { links: new Map(), pages: new Map() };
  held.set(world, known);
  return known;
}

/** Signing in to servers, in a browser. */
export const connectionSteps: readonly StepKind[] = [
  // The link of the modal that this person has open; it stays theirs when the modal is closed.
  stepKind(new RegExp(`^${WHO} takes the link$`), nothing, async (world, { who }) => {
    const link = await until(world, 'a modal with a link', () => {
      const view = world.app.driver.as(who).modals().at(-1);
      return view && linkIn(view);
    });
    heldIn(world).links.set(who, link);
  }),
  stepKind(new RegExp(`^${WHO} opens the link$`), nothing, async (world, { who }) => {
    heldIn(world).pages.set(who, await browserOf(world, who).open(linkOf(world, who)));
  }),
  stepKind(new RegExp(`^${WHO} opens the link of$`), z.string(), async (world, { who, value }) => {
    heldIn(world).pages.set(who, await browserOf(world, who).open(linkOf(world, value)));
  }),
  // As whom they are known there; `deny` refuses.
  stepKind(new RegExp(`^${WHO} signs in as$`), z.string(), async (world, { who, value }) => {
    heldIn(world).pages.set(who, await browserOf(world, who, value).signIn(linkOf(world, who)));
  }),
  // Goes as far as the authorization server, and has somebody else open the page there.
  stepKind(
    new RegExp(`^${WHO} sends the address of the authorization server to$`),
    z.string(),
    async (world, { who, value }) => {
      const own = browserOf(world, who);
      const there = await own.pressAndStay(await own.open(linkOf(world, who)));
      heldIn(world).pages.set(value, await browserOf(world, value).open(there));
    },
  ),
  stepKind(new RegExp(`^${WHO}'s page says$`), z.string(), (world, { who, value }) => {
    const page = heldIn(world).pages.get(who);
    if (!page || !holdsAll(page.text, linesOf(value))) throw new Error(`The page says:\n${page?.text}`);
  }),
  stepKind(/^tasks of (?<who>\w+) are$/, z.array(z.string()), (world, { who, value }) => {
    const kept = world.tasks?.tasks.get(who) ?? [];
    if (JSON.stringify(kept) !== JSON.stringify(value)) throw new Error(`They are: ${kept.join(', ')}`);
  }),
  // So many calls at once are refused, each before any of them knows.
  stepKind(/^the access tokens end for (?<who>\d+) calls at once$/, nothing, (world, { who }) => {
    world.tasks?.authorization.expireAccess();
    world.tasks?.refuseTogether(Number(who));
  }),
  stepKind(/^the access tokens end$/, nothing, (world) => world.tasks?.authorization.expireAccess()),
  stepKind(/^the sign-ins are withdrawn$/, nothing, (world) => world.tasks?.authorization.forgetAll()),
  stepKind(/^the tasks server counts$/, z.record(z.string(), z.int()), (world, { value }) => {
    const counts: Record<string, number> = { ...world.tasks?.authorization.counts };
    for (const [name, expected] of Object.entries(value)) {
      if (counts[name] !== expected) throw new Error(`It counts ${JSON.stringify(counts)}.`);
    }
  }),
];

/** What whoever reads along at the example server has seen. */
export const exampleSteps: readonly StepKind[] = [
  stepKind(/^the example server holds its answers$/, nothing, (world) => exampleOf(world).holdAnswers()),
  stepKind(/^the example server holds the answers to$/, z.array(z.string()), async (world, { value }) => {
    await expect.poll(() => exampleOf(world).held(), { timeout: 10_000 }).toEqual(value);
  }),
  stepKind(/^the example server answers$/, z.string(), (world, { value }) => exampleOf(world).letGo(value)),
  // By whose sign-in the token of each call came of: whom it was to greet. No token came in two people's sessions.
  stepKind(/^the example server heard$/, z.record(z.string(), z.array(z.string())), (world, { value }) => {
    const example = exampleOf(world);
    const heard = Object.groupBy(example.calls(), ({ login }) => login ?? 'nobody');
    const names = Object.entries(heard).map(([login, calls = []]) => [login, calls.map(({ name }) => name)]);
    expect(Object.fromEntries(names)).toEqual(value);
    expect([...example.tokens().values()].toSorted()).toEqual(Object.keys(value).toSorted());
    for (const tokens of example.sessions().values()) expect(tokens.size).toBe(1);
    const inSessions = [...example.sessions().values()].flatMap((tokens) => [...tokens]);
    expect(new Set(inSessions)).toEqual(new Set(example.tokens().keys()));
  }),
];

function exampleOf({ example }: DialogueWorld): ExampleServer {
  if (example === null) throw new Error('The dialogue does not have the example server.');
  return example;
}

/** The browser of somebody who is in Slack as themselves, and at the other server as `login`. */
function browserOf(world: DialogueWorld, who: string, login = who) {
  return createBrowser(login, world.app.driver.as(who).id);
}

function linkOf(world: DialogueWorld, who: string): string {
  const link = heldIn(world).links.get(who);
  if (link === undefined) throw new Error(`${who} has no link.`);
  return link;
}

/** The link to sign in by of a modal; undefined where it has none. */
export function linkIn(view: View): string | undefined {
  const elements = view.blocks.flatMap((block) => linkSchema.safeParse(block).data?.elements ?? []);
  return elements.find(({ action_id: id }) => id === 'connect.open')?.url;
}
