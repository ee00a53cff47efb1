import type { Message, View } from '@countersign/slack-emulator';
import { z } from 'zod';
import { errorMessage } from '../../src/lib/errors.ts';
import { ACTIONS } from '../../src/slack/cards/action-ids.ts';
import { nothing, type StepKind, stepKind } from './dialogue.ts';
import { type DialogueWorld, holdsAll, linesOf, offers, saidInThread, until } from './dialogue-world.ts';
import { createVisitor, decideAddress, signIn } from './web-visitor.ts';

const WHO = '(?<who>ana|bob|carol)';
const buttonSchema = z
  .union([z.string(), z.strictObject({ button: z.string(), on: z.string() })])
  .transform((given) => (typeof given === 'string' ? { button: given, on: '' } : given));
type Button = z.infer<typeof buttonSchema>;

const forgedSchema = z.strictObject({
  /** The `action_id` that the click pretends to be of. */
  action: z.string(),
  /** A value out of thin air… */
  value: z.string().optional(),
  /** …or the value of somebody's real button. */
  'value of': buttonSchema.optional(),
  /** Puts another button's digest into that value. */
  'with the digest of': buttonSchema.optional(),
});

const WEB_BUTTON = 'Decide on the web…';
const webSchema = z.strictObject({
  on: z.string().default(''),
  /** A button of the page; left out, they only look. */
  presses: z.enum(['Approve', 'Reject']).optional(),
  because: z.string().optional(),
  /** By the name of the field. */
  types: z.record(z.string(), z.string()).default({}),
  'and sees': z.string(),
});

/** What people do: write, click, fill in, and what they alone are shown. */
export const peopleSteps: readonly StepKind[] = [
  stepKind(new RegExp(`^${WHO} says$`), z.string(), (world, { who, value }) =>
    say(world, who, value, world.thread?.ts),
  ),
  stepKind(new RegExp(`^${WHO} says in a new thread$`), z.string(), (world, { who, value }) => {
    world.thread = null;
    say(world, who, value, undefined);
  }),
  stepKind(
    new RegExp(`^${WHO} drops$`),
    z.record(z.string(), z.string()),
    (world, { who, value, rest: { 'and says': words = '', ...others } }) => {
      if (Object.keys(others).length > 0) throw new Error('Only “and says” goes with “drops”.');
      const files = Object.entries(value).map(([name, text]) => ({ name, content: Buffer.from(text) }));
      say(world, who, words, world.thread?.ts, files);
    },
  ),
  stepKind(new RegExp(`^${WHO} says elsewhere$`), z.string(), (world, { who, value, rest }) => {
    const channel = (rest.in ?? '').replace(/^#/, '');
    world.thread = { channel, ts: world.app.driver.as(who).post(channel, value) };
    world.threads.set(who, world.thread);
  }),
  stepKind(new RegExp(`^${WHO} types$`), z.string(), async (world, { who, value }) => {
    const person = world.app.driver.as(who);
    const typed = value.replace('«link»', () => linkTo(world));
    await person.command(typed, world.channel ?? person.dmChannel);
  }),
  stepKind(new RegExp(`^${WHO} clicks$`), buttonSchema, async (world, { who, value }) => {
    const person = world.app.driver.as(who);
    const found = await until(world, `a button ${inWords(value)}`, () => {
      const view = world.app.driver.as(who).modals().at(-1);
      if (view && offers(view.blocks, value.button)) return { view, message: null };
      const message = messageWith(world, value);
      return message && { view: null, message };
    });
    await (found.view
      ? person.useElement(value.button, undefined, found.view)
      : person.click(found.message, value.button));
  }),
  stepKind(new RegExp(`^${WHO} opens from the list$`), z.string(), async (world, { who, value }) => {
    const message = await until(world, `a list with ${value}`, () =>
      saidInThread(world).findLast(({ blocks }) => JSON.stringify(blocks).includes(`"${ACTIONS.openOne}"`)),
    );
    await world.app.driver.as(who).select(message, ACTIONS.openOne, value);
  }),
  stepKind(
    new RegExp(`^${WHO} clicks while slack replaces the connection$`),
    buttonSchema,
    async (world, { who, value }) => {
      const message = await until(world, `a button ${inWords(value)}`, () => messageWith(world, value));
      const clicked = world.app.driver.as(who).click(message, value.button);
      world.app.driver.disconnectSockets('refresh');
      await clicked;
      await world.app.driver.waitForApp();
    },
  ),
  stepKind(new RegExp(`^${WHO} clicks twice$`), buttonSchema, async (world, { who, value }) => {
    const person = world.app.driver.as(who);
    const message = await until(world, `a button ${inWords(value)}`, () => messageWith(world, value));
    await Promise.all([person.clickStale(message, value.button), person.clickStale(message, value.button)]);
  }),
  stepKind(new RegExp(`^${WHO} clicks the old$`), buttonSchema, async (world, { who, value }) => {
    const old = world.versions.find((message) => isWith(world, message, value));
    if (!old) throw new Error(`There never was a button ${inWords(value)}.`);
    await world.app.driver.as(who).clickStale(old, value.button);
  }),
  stepKind(new RegExp(`^${WHO} forges a click$`), forgedSchema, async (world, { who, value }) => {
    const { 'value of': whole, 'with the digest of': other } = value;
    const real = value.value ?? (whole ? buttonValue(world, whole) : '');
    const forged = other ? `${real.split(':')[0]}:${buttonValue(world, other).split(':')[1]}` : real;
    await forge(world, who, value.action, forged);
  }),
  stepKind(
    new RegExp(`^${WHO} fills in$`),
    z.record(z.string(), z.json()),
    async (world, { who, value, rest }) => {
      const person = world.app.driver.as(who);
      const names = Object.keys(value);
      const view = await until(world, `a form with ${names.join(', ')}`, () => {
        const top = person.modals().at(-1);
        return top && names.every((name) => inputBlock(top, name) !== undefined) && top;
      });
      const { errors } = await person.submit(value);
      const expected = Object.entries(rest).map(([words, told]) => {
        const name = /^and is told beside (.*)$/.exec(words)?.[1];
        if (name === undefined) throw new Error(`“${words}” does not go with “fills in”.`);
        return { block: inputBlock(view, name), told };
      });
      const isAsExpected =
        Object.keys(errors).length === expected.length &&
        expected.every(({ block, told }) => block !== undefined && errors[block]?.includes(told));
      if (!isAsExpected) throw new Error(`The form was answered with ${JSON.stringify(errors)}.`);
    },
  ),
  stepKind(new RegExp(`^${WHO} closes the modal$`), nothing, async (world, { who }) => {
    const person = world.app.driver.as(who);
    await person.waitForModal();
    await person.close();
  }),
  stepKind(new RegExp(`^${WHO} sees$`), z.string(), async (world, { who, value }) => {
    const lines = linesOf(value);
    await until(world, `a modal with\n${lines.join('\n')}`, () => {
      const view = world.app.driver.as(who).modals().at(-1);
      return view && holdsAll(world.app.driver.text(view), lines);
    });
  }),
  stepKind(new RegExp(`^${WHO} does not see$`), z.string(), (world, { who, value }) => {
    const shown = world.app.driver.text(world.app.driver.as(who).modal());
    const line = linesOf(value).find((it) => shown.includes(it));
    if (line !== undefined) throw new Error(`The modal shows “${line}”:\n${shown}`);
  }),
  stepKind(new RegExp(`^${WHO} is told$`), z.string(), async (world, { who, value }) => {
    const lines = linesOf(value);
    await until(world, `${who} alone is told\n${lines.join('\n')}`, () => {
      const person = world.app.driver.as(who);
      const shown = [...person.ephemerals(), ...person.modals().slice(-1)];
      return shown.some((it) => holdsAll(world.app.driver.text(it), lines));
    });
  }),
  stepKind(new RegExp(`^${WHO} was told once$`), z.string(), (world, { who, value }) => {
    const shown = world.app.driver.as(who).ephemerals();
    const times = shown.filter((it) => holdsAll(world.app.driver.text(it), linesOf(value))).length;
    if (times !== 1) throw new Error(`They were told so ${times} times.`);
  }),
  // After a click that Slack was answered: whatever it says is said by then.
  stepKind(new RegExp(`^${WHO} is told nothing$`), nothing, (world, { who }) => {
    const person = world.app.driver.as(who);
    const shown = [...person.ephemerals(), ...person.modals()].map((it) => world.app.driver.text(it));
    if (shown.length > 0) throw new Error(`There is:\n${shown.join('\n---\n')}`);
  }),
  stepKind(new RegExp(`^${WHO} decides on the web$`), webSchema, async (world, { who, value }) => {
    const person = world.app.driver.as(who);
    const button = { button: WEB_BUTTON, on: value.on };
    const message = await until(world, `a button ${inWords(button)}`, () => messageWith(world, button));
    const address = await decideAddress(world.app, who, () => person.click(message, WEB_BUTTON));
    const visitor = createVisitor();
    const page = await signIn(visitor, world.app, who, address);
    const filled = { ...value.types, ...(value.because === undefined ? {} : { feedback: value.because }) };
    const after = value.presses === undefined ? page : await visitor.press(page, value.presses, filled);
    const missing = linesOf(value['and sees']).filter((line) => !after.text.includes(line));
    if (missing.length > 0) throw new Error(`The page does not show ${missing.join(', ')}:\n${after.text}`);
  }),
  stepKind(new RegExp(`^${WHO} opens Home$`), nothing, async (world, { who }) => {
    await world.app.driver.as(who).openHome();
  }),
  stepKind(new RegExp(`^${WHO} sees in Home$`), z.string(), async (world, { who, value }) => {
    const lines = linesOf(value);
    const shown = () => {
      const home = world.app.driver.as(who).home();
      return home && world.app.driver.text(home);
    };
    await until(world, `a Home with\n${lines.join('\n')}`, () => {
      const text = shown();
      return text && holdsAll(text, lines);
    }).catch((error: unknown) => {
      throw new Error(`${errorMessage(error)}\nThe Home:\n${shown()}`);
    });
  }),
  // After it has changed: what is not wanted may stand there until then.
  stepKind(new RegExp(`^${WHO} does not see in Home$`), z.string(), async (world, { who, value }) => {
    const lines = linesOf(value);
    await until(world, `a Home without\n${lines.join('\n')}`, () => {
      const home = world.app.driver.as(who).home();
      return home && !lines.some((line) => world.app.driver.text(home).includes(line));
    });
  }),
  stepKind(new RegExp(`^${WHO} clicks in Home$`), z.string(), async (world, { who, value }) => {
    const person = world.app.driver.as(who);
    await person.useElement(value, undefined, person.home());
  }),
  stepKind(new RegExp(`^${WHO} reads in direct messages$`), z.string(), async (world, { who, value }) => {
    const lines = linesOf(value);
    await until(world, `a direct message to ${who} with\n${lines.join('\n')}`, () =>
      writtenTo(world, who).some((text) => holdsAll(text, lines)),
    );
  }),
  stepKind(new RegExp(`^${WHO} clicks in direct messages$`), buttonSchema, async (world, { who, value }) => {
    const person = world.app.driver.as(who);
    const message = await until(world, `a direct message with a button ${inWords(value)}`, () =>
      world.app.driver.messages(person.dmChannel).findLast((one) => isWith(world, one, value)),
    );
    await person.click(message, value.button);
  }),
  stepKind(new RegExp(`^${WHO} has direct messages$`), z.int(), (world, { who, value }) => {
    const found = writtenTo(world, who);
    if (found.length !== value) throw new Error(`There are:\n${found.join('\n---\n')}`);
  }),
  // A message that nobody else sees: the newest with this button.
  stepKind(new RegExp(`^${WHO} clicks for themselves$`), buttonSchema, async (world, { who, value }) => {
    const person = world.app.driver.as(who);
    const message = await until(world, `a message for ${who} alone with ${inWords(value)}`, () =>
      person.ephemerals().findLast((one) => isWith(world, one, value)),
    );
    await person.click(message, value.button);
  }),
  stepKind(/^(?<who>ana|bob|carol) has no direct message$/, nothing, (world, { who }) => {
    const found = writtenTo(world, who);
    if (found.length > 0) throw new Error(`There is:\n${found.join('\n---\n')}`);
  }),
  stepKind(new RegExp(`^${WHO} shows in Home$`), z.string(), async (world, { who, value }) => {
    const person = world.app.driver.as(who);
    await person.useElement('home.filter', value, person.home());
  }),
  stepKind(new RegExp(`^${WHO} lists in Home$`), z.string(), async (world, { who, value }) => {
    const person = world.app.driver.as(who);
    await person.useElement('home.filter_asked', value, person.home());
  }),
  stepKind(new RegExp(`^${WHO} presses stop$`), nothing, (world, { who }) => {
    if (world.thread) world.app.driver.as(who).stop(world.thread.channel, world.thread.ts);
  }),
];

function say(
  world: DialogueWorld,
  who: string,
  text: string,
  threadTs: string | undefined,
  files: readonly { readonly name: string; readonly content: Buffer }[] = [],
): void {
  const person = world.app.driver.as(who);
  const channel = world.thread?.channel ?? world.channel ?? person.dmChannel;
  const ts = person.post(channel, text, { files, ...(threadTs !== undefined && { threadTs }) });
  if (world.thread !== null) return;
  world.thread = { channel, ts };
  world.threads.set(who, world.thread);
}

/** What the app has written to somebody by themselves. */
function writtenTo({ app }: DialogueWorld, who: string): string[] {
  const { dmChannel } = app.driver.as(who);
  const messages = app.driver.messages(dmChannel).filter((message) => message.byApp);
  return messages
    .filter(({ ephemeralFor }) => ephemeralFor === null)
    .map((message) => app.driver.text(message));
}

/** The one message in which this button stands now. Throws when several have it. */
function messageWith(world: DialogueWorld, button: Button): Message | undefined {
  const found = saidInThread(world).filter((message) => isWith(world, message, button));
  if (found.length > 1) throw new Error(`Several messages have a button ${inWords(button)}.`);
  return found[0];
}

function isWith(world: DialogueWorld, message: Message, { button, on }: Button): boolean {
  return offers(message.blocks, button) && world.app.driver.text(message).includes(on);
}

function inWords({ button, on }: Button): string {
  return on === '' ? `[${button}]` : `[${button}] on “${on}”`;
}

const words = z.object({ text: z.string() });
const inputSchema = z.union([
  z.object({ type: z.literal('input'), block_id: z.string(), label: words }),
  z
    .object({
      type: z.literal('actions'),
      block_id: z.string(),
      elements: z.tuple([
        z.object({ type: z.literal('checkboxes'), options: z.tuple([z.object({ text: words })]) }),
      ]),
    })
    .transform(({ block_id, elements: [{ options }] }) => ({ block_id, label: options[0].text })),
]);

/** The block of the input that has this label, or of the single box. */
function inputBlock(view: View, label: string): string | undefined {
  const inputs = view.blocks.flatMap((block) => inputSchema.safeParse(block).data ?? []);
  return inputs.find((input) => input.label.text === label)?.block_id;
}

const buttonsSchema = z.object({
  elements: z.array(
    z.looseObject({ text: z.object({ text: z.string() }).optional(), value: z.string().optional() }),
  ),
});

const menuSchema = z
  .object({ accessory: z.object({ options: buttonsSchema.shape.elements }) })
  .transform(({ accessory }) => accessory.options);

const besideSchema = z
  .object({ accessory: buttonsSchema.shape.elements.element })
  .transform(({ accessory }) => [accessory]);

/** The value of a button, or of an option of a block's menu, that stands, or once stood, in a message. */
function buttonValue(world: DialogueWorld, button: Button): string {
  const message = world.versions.findLast((version) => isWith(world, version, button));
  const elements =
    message?.blocks.flatMap(
      (block) =>
        buttonsSchema.safeParse(block).data?.elements ??
        menuSchema.safeParse(block).data ??
        besideSchema.safeParse(block).data ??
        [],
    ) ?? [];
  const value = elements.find((element) => element.text?.text === button.button)?.value;
  if (value === undefined) throw new Error(`There never was a button ${inWords(button)} with a value.`);
  return value;
}

/** The address of the thread, as Slack copies it. */
function linkTo(world: DialogueWorld): string {
  const [{ channel, threadTs } = { channel: '', threadTs: '' }] = saidInThread(world);
  return `https://emulated.slack.com/archives/${channel}/p${threadTs?.replace('.', '')}`;
}

/** A click that Slack would deliver, with a value that no card of this person had. */
async function forge(world: DialogueWorld, who: string, action: string, value: string): Promise<void> {
  const { driver } = world.app;
  const user = driver.as(who).id;
  const { team } = driver.workspace;
  const [message] = saidInThread(world);
  if (!message || !world.thread) throw new Error('There is no message to click on.');
  await driver.forge('interactive', {
    type: 'block_actions',
    user: { id: user, team_id: team.id },
    team: { id: team.id },
    channel: { id: world.thread.channel },
    container: { type: 'message', message_ts: message.ts, channel_id: world.thread.channel },
    message: { ts: message.ts, thread_ts: world.thread.ts },
    trigger_id: 'forged',
    actions: [{ type: 'button', block_id: 'forged', action_id: action, value, action_ts: '1.0' }],
  });
}
