import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Policy } from '../gate/policy/schema.ts';
import { isJsonObject } from '../lib/json.ts';
import { bytesSchema, parseBytes } from '../mcp/config/sandbox.ts';
import { type LineOf, substituteVariables } from '../mcp/config/variables.ts';
import { PASSWORD_IN_URL, TEAM_VIA } from './texts.ts';

/** Who may read a folder of documents, as the file names everybody in the workspace. */
export const EVERYBODY_HERE = 'everybody';

const readerSchema = z
  .string()
  .refine((named) => named === EVERYBODY_HERE || /^[CGUW][A-Z0-9]+$/.test(named), {
    error: 'must be everybody, the id of a channel, such as C012AB3CD, or of a Slack user, such as U012AB3CD',
  })
  .describe(
    'everybody, the id of a channel (C012AB3CD), for those who are in it, or of a Slack user (U012AB3CD).',
  );

/** A folder of `knowledge.folders`: its path alone, for everybody, or with its readers. */
export const documentFolderSchema = z
  .union(
    [
      z.string().min(1),
      z.strictObject({
        folder: z.string().min(1).describe('The folder, relative to this file.'),
        readers: z
          .array(readerSchema)
          .min(1, 'must name somebody; without readers the folder is for everybody')
          .max(1_000)
          .describe('Who may find what is in it, each as everybody, a channel or a person.'),
      }),
    ],
    { error: 'must be a folder, or { folder: …, readers: [everybody, C012AB3CD, U012AB3CD] }' },
  )
  .transform((given) => (typeof given === 'string' ? { folder: given, readers: [EVERYBODY_HERE] } : given))
  .describe('A folder, for everybody who may talk to the agent, or one with its readers.');

/** The server that has the documents, and what it's called where it's added. */
const DOCUMENTS = 'documents';
/** Its tools that only read. */
const READING = ['list_documents', 'search_documents', 'read_document'].map((tool) => `${DOCUMENTS}.${tool}`);

/** How many documents, and how large their files may be together: those of one, or of all. */
function amount(usual: { readonly documents: number; readonly size: string }) {
  return z
    .strictObject({
      documents: z.int().min(1).max(1_000_000).default(usual.documents).describe('How many there may be.'),
      size: bytesSchema.default(usual.size).describe('How large their files may be together, such as 500MB.'),
    })
    .prefault({});
}

const limitsSchema = z
  .strictObject({
    person: amount({ documents: 200, size: '500MB' }).describe('What one person brings, wherever that is.'),
    key: amount({ documents: 1_000, size: '2GB' }).describe('What is given with one key of the HTTP API.'),
    workspace: amount({ documents: 2_000, size: '5GB' }).describe('All that is brought and given.'),
  })
  .prefault({})
  .describe('How much people and programs may bring. What is in folders counts nowhere.');

const settingsSchema = z.strictObject({
  folders: z
    .array(documentFolderSchema)
    .max(100)
    .default([])
    .describe('Folders of documents that the server documents searches, relative to this file.'),
  store: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where several processes keep what they learn: a folder that all of them have, relative to this file, or an address such as s3://bucket/documents. Needs LanceDB: npm install @lancedb/lancedb apache-arrow. Unless set, documents.db in DATA_DIR; with Redis, each process learns the folders for itself, and no document can be given.',
    ),
  embeddings: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/, error: TEAM_VIA.notHttp })
        .refine((url) => new URL(url).password === '', PASSWORD_IN_URL)
        .describe(
          'An OpenAI-compatible API that makes vectors of texts: https://api.openai.com/v1. Passages of documents are sent to it.',
        ),
      model: z
        .string()
        .min(1)
        .describe('The model, by the name that the API has for it: text-embedding-3-small.'),
      key: z.string().min(1).optional().describe(`The API's key; \${NAME} is from the environment.`),
      dimensions: z
        .int()
        .min(1)
        .max(8_192)
        .optional()
        .describe(
          'How many dimensions vectors have, where the model can make fewer. Unless set, as many as it has.',
        ),
      batch: z
        .int()
        .min(1)
        .max(2_048)
        .default(64)
        .describe('The most texts of one request. OpenAI takes 2048; others take 10 or 32.'),
      weight: z
        .number()
        .min(0)
        .max(10)
        .default(0.3)
        .describe(
          'How much the order by vectors counts, where the one by words counts 1. Unless set, as little as is right for a weak model; one that is made for search deserves 1 (docs/documents.md).',
        ),
    })
    .optional()
    .describe('What finds passages by their meaning, too. Unless set, they are found by words alone.'),
  limits: limitsSchema,
  rerank: z
    .boolean()
    .default(false)
    .describe(
      'The model puts what was found in order, which takes a few seconds and about 5000 tokens per search.',
    ),
  descriptions: z
    .boolean()
    .default(true)
    .describe('The model says what each document is about, once it is learned: about 2000 tokens each.'),
});

/** `knowledge`: the documents that are learned, and how they are found. */
export const knowledgeSchema = settingsSchema
  .optional()
  .transform((given) => ({ ...(given ?? settingsSchema.parse({})), isConfigured: given !== undefined }))
  .describe('Documents that the agent can be asked about.');

type KnowledgeContent = z.infer<typeof knowledgeSchema>;

/**
 * Fills variables of the environment into the key, and makes folders absolute.
 * @throws ConfigError for a variable that isn't set; it names the line, and never a value.
 */
export function readKnowledge(
  { folders, store, embeddings, limits, ...settings }: KnowledgeContent,
  env: Readonly<Record<string, string | undefined>>,
  { file, lineOf }: { readonly file: string; readonly lineOf: LineOf },
) {
  const where = {
    file,
    what: 'setting',
    server: 'knowledge.embeddings',
    lineOf: ([, ...key]: readonly PropertyKey[]) => lineOf(['knowledge', 'embeddings', ...key]),
  } as const;
  const { key = null } = z
    .object({ key: z.string().optional() })
    .parse(substituteVariables({ key: embeddings?.key }, env, where));
  const filled = embeddings && { ...embeddings, key, dimensions: embeddings.dimensions ?? null };
  return {
    ...settings,
    folders: folders.map((one) => ({ ...one, folder: resolve(dirname(file), one.folder) })),
    store: resolveStore({ store }, file),
    embeddings: filled ?? null,
    limits: {
      person: toAmount(limits.person),
      key: toAmount(limits.key),
      workspace: toAmount(limits.workspace),
    },
  };
}

function toAmount({ documents, size }: KnowledgeContent['limits']['person']) {
  return { documents, bytes: parseBytes(size) };
}

/** Where processes share what they learn, as an address or an absolute folder; null where they don't. */
export function resolveStore({ store }: Pick<KnowledgeContent, 'store'>, file: string): string | null {
  if (store === undefined) return null;
  return store.includes('://') ? store : resolve(dirname(file), store);
}

/**
 * The server that has the documents, by its name, where it's configured by them alone: not where it's there already, or another has
 * its name.
 */
export function documentServers(
  { isConfigured }: Pick<KnowledgeContent, 'isConfigured'>,
  others: Readonly<Record<string, unknown>>,
) {
  const isThere =
    DOCUMENTS in others ||
    Object.values(others).some((it) => isJsonObject(it) && it.in_process === DOCUMENTS);
  return !isConfigured || isThere ? {} : { [DOCUMENTS]: { in_process: DOCUMENTS } };
}

/** A policy that asks about what it doesn't name, and allows reading documents, for a server that was added by itself. */
export function allowReading(policy: Policy): Policy {
  const rule = { name: 'reading documents', tools: [...READING], action: 'allow' as const };
  return policy.default === 'ask' ? { ...policy, rules: [...policy.rules, rule] } : policy;
}
