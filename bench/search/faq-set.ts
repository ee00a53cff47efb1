import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHtml } from '../../src/knowledge/parse/readers/text.ts';
import { toPassages } from '../../src/knowledge/passages.ts';

/** A document of the set, with the texts of its passages in order. */
interface SetDocument {
  readonly name: string;
  readonly title: string;
  readonly passages: readonly string[];
}

/** A heading that asks something, and the places, from 1, of the passages that stood below it. */
interface SetQuestion {
  readonly ask: string;
  readonly document: string;
  readonly places: readonly number[];
}

export interface FaqSet {
  readonly documents: readonly SetDocument[];
  readonly questions: readonly SetQuestion[];
}

const QUESTIONS = 300;
const FAQS: readonly Part[] = [
  { from: 'python3.11/html/faq', name: 'python/faq', files: /^(?!index)/ },
  { from: 'debian/FAQ', name: 'debian/faq', files: /(?<!index)\.en\.html$/ },
  { from: 'git-doc', name: 'git', files: /^gitfaq/ },
];
/** Manuals beside them: they are about the same, and answer other questions. */
const MANUALS: readonly Part[] = [
  ...['tutorial', 'howto', 'using', 'extending', 'reference'].map((part) => ({
    from: `python3.11/html/${part}`,
    name: `python/${part}`,
    files: /^(?!index)/,
  })),
  { from: 'git-doc', name: 'git', files: /^(?:git(?!faq|-)|user-manual)/ },
];

interface Part {
  readonly from: string;
  readonly name: string;
  readonly files: RegExp;
}

/**
 * Questions that people were asked often, and the texts that answer them: the headings of the FAQs of Python, Debian and git,
 * and what stands below each. Headings are in none of the texts, since they would be the questions once more. Which of the
 * questions are taken is the same each time.
 *
 * @param folder as {@link faqFolder} finds it.
 */
export async function readFaqSet(folder: string): Promise<FaqSet> {
  const read = async (parts: readonly Part[]) =>
    (await Promise.all(parts.map((part) => readPart(folder, part)))).flat();
  const faqs = await read(FAQS);
  const asked = faqs.flatMap(({ questions }) => questions);
  const isOnce = ({ ask }: SetQuestion) => asked.filter((other) => other.ask === ask).length === 1;
  return {
    documents: [...faqs, ...(await read(MANUALS))].map(({ document }) => document),
    questions: asked
      .filter(isOnce)
      .toSorted((one, other) => (digest(one.ask) < digest(other.ask) ? -1 : 1))
      .slice(0, QUESTIONS),
  };
}

function readPart(folder: string, { from, name, files }: Part) {
  const found = readdirSync(join(folder, from)).filter((file) => file.endsWith('.html') && files.test(file));
  return Promise.all(
    found.sort().map((file) => readPage(join(folder, from, file), `${name}/${file.replace('.en.', '.')}`)),
  );
}

async function readPage(path: string, name: string) {
  const html = bodyOfPage(readFileSync(path, 'utf8'));
  const { title, blocks } = await readHtml(Buffer.from(html), { maxPages: 1, onProgress: () => {} });
  const clean = blocks.map((block) =>
    block.kind === 'heading' ? { ...block, text: cleanHeading(block.text) } : block,
  );
  const asks = clean.flatMap((block) =>
    block.kind === 'heading' && block.text.endsWith('?') ? [block.text] : [],
  );
  // A table of contents would be found in the place of what it names.
  const isContents = (text: string) => asks.filter((ask) => text.includes(ask)).length > 2;
  const passages = toPassages({ blocks: clean })
    .map(({ section, text }) => ({ path: section.split(' › '), text }))
    .filter(({ path: above, text }) => text !== above.at(-1) && !isContents(text));
  const places = new Map<string, number[]>();
  for (const [index, { path: above }] of passages.entries()) {
    const ask = above.findLast((heading) => heading.endsWith('?'));
    if (ask !== undefined) places.set(ask, [...(places.get(ask) ?? []), index + 1]);
  }
  return {
    document: { name, title: title ?? '', passages: passages.map(({ text }) => text) },
    questions: [...places].map(([ask, at]): SetQuestion => ({ ask, document: name, places: at })),
  };
}

/** Without the navigation of Python's and Debian's pages, and with the terms of git's FAQ as the headings that they are. */
function bodyOfPage(html: string): string {
  return html
    .replace(/<body>[\s\S]*?role="main">/, '<body>')
    .replace(/<div class="sphinxsidebar"[\s\S]*$/, '')
    .replace(/<div class="nav(?:header|footer)">[\s\S]*?<\/table>/g, '')
    .replace(/<dl>\s*(?=<dt class="hdlist1">[^<]*(?:<code>[^<]*<\/code>[^<]*)*\?\s*<\/dt>)/g, '')
    .replace(/<dt class="hdlist1">((?:[^<]|<code>|<\/code>)*\?)\s*<\/dt>/g, '<h3>$1</h3>');
}

/** Without the number before it, and the sign that links to it. */
function cleanHeading(text: string): string {
  return text.replace(/^(?:Chapter )?\d+(?:\.\d+)*\. /, '').replace(/¶$/, '');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
