import { LRUCache } from 'lru-cache';
import MiniSearch from 'minisearch';
import { sha256Hex } from '../../lib/canonical-json.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { synonyms, textTerms } from './terms.ts';

/** Most tool lists whose indexes are kept, 1.6 MB each for 220 tools. People who sign in may have their own. */
const MOST_INDEXES = 50;
/** The longest text that is searched by, in characters. What a person pastes may be long. */
const LONGEST_TEXT = 2_000;
/** How many levels of a schema's properties are read. */
const SCHEMA_LEVELS = 3;

/** How much a match in each part of a tool counts. */
const WEIGHTS = { name: 3, title: 3, server: 4, summary: 2, description: 0.5, parameters: 1 };
/** How much a match of another word for it counts. */
const SYNONYM_WEIGHT = 0.5;
/** How much of a description is its summary, in characters; what comes after is about details. */
const SUMMARY_LENGTH = 200;

/** What is indexed of a tool; its id is its place in the list. */
type IndexedTool = { readonly id: number } & Readonly<Record<keyof typeof WEIGHTS, string>>;

/**
 * Finds the tools that match a person's or a model's words, best first; none if no word matches.
 *
 * @param tools all tools of an offer. Their index is built once, for all lists with the same content.
 * @param texts what to search by, the newest text first. Each counts half as much as the one before.
 */
export type SearchTools = (
  tools: readonly ToolDefinition[],
  texts: readonly string[],
) => readonly ToolDefinition[];

/** @param build is called once for each list of tools, also where two people have the same. */
export function createToolSearch(build = buildIndex): SearchTools {
  const indexes = new LRUCache<string, MiniSearch<IndexedTool>>({ max: MOST_INDEXES });
  return (tools, texts) => {
    const content = listContent(tools);
    const index = indexes.get(content) ?? build(tools);
    indexes.set(content, index);
    const scores = new Map<number, number>();
    for (const [age, text] of texts.entries()) {
      for (const { id, score } of search(index, text.slice(0, LONGEST_TEXT))) {
        scores.set(id, (scores.get(id) ?? 0) + score / 2 ** age);
      }
    }
    return [...scores].toSorted(([, a], [, b]) => b - a).flatMap(([id]) => tools[id] ?? []);
  };
}

function search(index: MiniSearch<IndexedTool>, text: string) {
  const terms = [...new Set(textTerms(text))];
  const others = synonyms(terms).filter((it) => !terms.includes(it));
  return index.search([...terms, ...others].join(' '), {
    tokenize: (it) => it.split(' '),
    boostTerm: (term) => (terms.includes(term) ? 1 : SYNONYM_WEIGHT),
  });
}

/**
 * A hash of what is indexed of a list. Definitions are made anew for each person and after each review, so the
 * list itself says nothing about a change. An outlined tool (docs/decisions/0030) has the hash of the whole
 * definition, and another description.
 */
function listContent(tools: readonly ToolDefinition[]): string {
  const parts = tools.map((tool) => [tool.modelName, tool.definitionHash, tool.title, tool.description]);
  return sha256Hex(JSON.stringify(parts));
}

export function buildIndex(tools: readonly ToolDefinition[]): MiniSearch<IndexedTool> {
  const index = new MiniSearch<IndexedTool>({
    fields: Object.keys(WEIGHTS),
    tokenize: textTerms,
    processTerm: (term) => term,
    searchOptions: { boost: WEIGHTS },
  });
  index.addAll(
    tools.map((tool, id) => ({
      id,
      name: tool.name,
      title: tool.title,
      server: `${tool.server} ${tool.toolType}`,
      summary: tool.description.trim().slice(0, SUMMARY_LENGTH),
      description: tool.description,
      parameters: parameterText(tool.inputSchema, SCHEMA_LEVELS),
    })),
  );
  return index;
}

/** The names and descriptions of a schema's properties. */
function parameterText(schema: Json | undefined, levels: number): string {
  if (!isJsonObject(schema) || levels === 0) return '';
  const { properties, items } = schema;
  const own = isJsonObject(properties) ? Object.entries(properties) : [];
  return [
    ...own.flatMap(([name, its]) => [name, describe(its), parameterText(its, levels - 1)]),
    parameterText(items, levels - 1),
  ].join(' ');
}

function describe(schema: Json): string {
  return isJsonObject(schema) && typeof schema.description === 'string' ? schema.description : '';
}
