import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { fileSchema } from '../../src/config/file.ts';
import type { DialogueWorld } from './dialogue-world.ts';

const serverSchema = z.union([z.string(), z.record(z.string(), z.json())]);

/** See `TasksServerOptions` in the fixture. */
const tasksServerSchema = z.strictObject({
  stepUp: z.boolean().default(false),
  openList: z.boolean().default(false),
  refusesAll: z.boolean().default(false),
  refreshTakesMs: z.int().default(0),
});

const dialogueSchema = z.strictObject({
  /** What a reader should know before the steps; also the name of the test. */
  title: z.string().min(1),
  setup: z
    .strictObject({
      /** `dm`, `group dm` of all three people, or the channel in which the person mentions the bot. */
      where: z.string().default('dm'),
      /** Whose words they are: those that the dialogue gives, or the demo model's own. */
      model: z.enum(['scripted', 'demo']).default('scripted'),
      /** Names of the servers in `fixtures/servers`, `calendar`, or whole entries of `mcpServers`. */
      servers: z.array(serverSchema).default(['calendar']),
      /** The texts of documents of a folder, by their names; the server `documents` comes with it. */
      documents: z.record(z.string(), z.string()).optional(),
      policy: z.record(z.string(), z.json()).optional(),
      /** Sessions are judged, by `fixtures/permissions.json`, or by another file of this repository. */
      permissions: z.union([z.boolean(), z.string()]).default(false),
      /** How the cards of single tools read, as in `countersign.yaml`. */
      cards: z.record(z.string(), z.json()).optional(),
      /** Scopes that the app was installed without. */
      'without scopes': z.array(z.string()).default([]),
      /** Whether a mention in a group DM also comes as an event of its own. */
      'group mentions': z.boolean().default(true),
      /** User groups by their handle, with their members. */
      groups: z.record(z.string(), z.array(z.string())).default({}),
      requests: fileSchema.shape.requests.optional(),
      agent: fileSchema.shape.agent.optional(),
      /** Which agent answers where. */
      routes: fileSchema.shape.routes,
      /** The team's agents, as in `countersign.yaml`. */
      team: z.record(z.string(), z.json()).optional(),
      /** Whether what people say of themselves is remembered. */
      memory: z.boolean().default(false),
      /**
       * The mailboxes of the local workspace are there and empty, with the policy and the cards of `countersign.yaml`; how they
       * are watched, as there.
       */
      inbox: z.record(z.string(), z.json()).optional(),
      /** Who looks after the app. */
      admins: z.array(z.enum(['ana', 'bob', 'carol'])).default([]),
      tool_review: fileSchema.shape.tool_review,
      /** Whether the operator vouches for what the servers say of their tools. */
      trusted: z.boolean().default(true),
      /** People's browsers reach the app, and can sign in with Slack. */
      web: z.boolean().default(false),
      /**
       * The workspace is one of an organisation in Enterprise Grid, and the app is installed in it alone, or in the
       * whole organisation.
       */
      organisation: z.enum(['none', 'app in one workspace', 'app in all workspaces']).default('none'),
      /** The team that events name at their top: ours, the other organisation's, none, or not even that. */
      'event team': z.enum(['ours', 'theirs', 'null', 'absent']).default('ours'),
      /** The app opens what an earlier version left: `fixtures/data-of-03457cf`. */
      'earlier data': z.boolean().default(false),
      'slack lacks': z.array(z.string()).default([]),
      /** How the server `tasks`, which everybody signs in to, behaves. */
      tasks: tasksServerSchema.optional(),
      /** Of the model, in milliseconds. */
      'model time-out': z.number().optional(),
      /** How long the model takes over twenty characters, in milliseconds. */
      'model pace': z.number().optional(),
    })
    .prefault({}),
  /** What Slack refuses the app in this dialogue, as `method error`. */
  'slack refuses': z.array(z.string()).default([]),
  /** Errors that belong into the log of this dialogue. */
  'the log says': z.array(z.string()).default([]),
  /** Something still waits for a person at the end. */
  'still waits': z.boolean().default(false),
  steps: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])).min(1),
});
type DialogueFile = z.infer<typeof dialogueSchema>;

/** A step of a dialogue, read and ready. */
interface Step {
  /** The file, the number and the words of the step. */
  readonly where: string;
  /** As written: who does what. */
  readonly words: string;
  readonly perform: (world: DialogueWorld) => Promise<void>;
}

export interface Dialogue extends Omit<DialogueFile, 'steps'> {
  readonly file: string;
  readonly steps: readonly Step[];
}

/** One kind of step: the words that it is written with, and what follows from them. */
export interface StepKind {
  readonly words: RegExp;
  /** Reads the step; throws when its value is not what the words take. */
  read(who: string, value: unknown, rest: Readonly<Record<string, unknown>>): Step['perform'];
}

interface StepContext<Value> {
  /** The person in the words, or whatever their group `who` says; empty without one. */
  readonly who: string;
  readonly value: Value;
  /** Further keys of the step, such as `and is told beside Start`. */
  readonly rest: Readonly<Record<string, string>>;
}

/** @param words with the person as the group `who`, if there is one. */
export function stepKind<Schema extends z.ZodType>(
  words: RegExp,
  schema: Schema,
  perform: (world: DialogueWorld, context: StepContext<z.output<Schema>>) => Promise<void> | void,
): StepKind {
  return {
    words,
    read(who, raw, more) {
      const value = schema.parse(raw);
      const rest = z.record(z.string(), z.string()).parse(more);
      return async (world) => perform(world, { who, value, rest });
    },
  };
}

/** For steps that are words alone, without a value. */
export const nothing = z.null();

/** Reads every dialogue of a folder. Throws with file and step for anything that nobody knows how to do. */
export function readDialogues(folder: string, kinds: readonly StepKind[]): Dialogue[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return files.toSorted().map((file) => readDialogue(join(folder, file), kinds));
}

function readDialogue(path: string, kinds: readonly StepKind[]): Dialogue {
  const file = basename(path);
  const parsed = dialogueSchema.safeParse(parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  const steps = parsed.data.steps.map((raw, index) => readStep(`${file}, step ${index + 1}`, raw, kinds));
  return { ...parsed.data, file, steps };
}

function readStep(at: string, raw: string | Record<string, unknown>, kinds: readonly StepKind[]): Step {
  const { words, value, rest } = written(raw);
  const where = `${at} (${words})`;
  const fitting = kinds.flatMap((kind) => {
    const match = kind.words.exec(words);
    return match ? [{ kind, who: match.groups?.who ?? '' }] : [];
  });
  const [only] = fitting;
  if (only === undefined || fitting.length > 1) {
    throw new Error(`${where}: ${only === undefined ? 'no such step' : 'this could mean several steps'}`);
  }
  try {
    return { where, words, perform: only.kind.read(only.who, value, rest) };
  } catch (error) {
    throw new Error(`${where}: ${error instanceof z.ZodError ? z.prettifyError(error) : error}`);
  }
}

/** The first key is the step, the others go with it. */
function written(raw: string | Record<string, unknown>) {
  if (typeof raw === 'string') return { words: raw, value: null, rest: {} };
  const [[words, value] = ['', null], ...others] = Object.entries(raw);
  return { words, value, rest: Object.fromEntries(others) };
}
