import { posix } from 'node:path';
import { Parser } from 'htmlparser2';
import type { Block } from '../../ports.ts';
import { type Reader, Unreadable } from './reader.ts';
import { unpack } from './zip.ts';

const PRESENTATION = 'ppt/presentation.xml';
const TITLES = new Set(['title', 'ctrTitle']);
/** Numbers, dates and footers, which every slide has. */
const SURROUNDINGS = new Set(['sldNum', 'dt', 'ftr', 'hdr']);
/** The longest first line that stands as the title of a slide that has none, in characters. */
const LONGEST_TITLE = 120;

type Attributes = Readonly<Record<string, string>>;

interface Slide {
  readonly title: string | null;
  readonly blocks: readonly Block[];
}

/** PowerPoint's presentations: a heading, the texts and the tables of each slide, and its notes. */
export const readPptx: Reader = async (content, { maxPages, onProgress }) => {
  const files = await unpack(content, (name) => /^ppt\/.*\.(?:xml|rels)$/.test(name));
  const slides = listSlides(files);
  if (slides.length > maxPages) throw new Unreadable('too_many_pages');
  const blocks = slides.flatMap((path, index): readonly Block[] => {
    const page = index + 1;
    const slide = readSlide(textIn(files, path), page);
    const notes = readRelations(files, path).find(({ type }) => type.endsWith('/notesSlide'));
    const { blocks: said } = notes ? readSlide(textIn(files, notes.target), page) : { blocks: [] };
    onProgress(page, slides.length);
    return [...nameSlide(slide, page), ...said];
  });
  const [first] = blocks;
  return { title: first?.kind === 'heading' ? first.text : null, pages: slides.length, blocks };
};

/** The paths of the slides, in their order. */
function listSlides(files: ReadonlyMap<string, Buffer>): string[] {
  const ids: string[] = [];
  readXml(textIn(files, PRESENTATION), {
    open: (name, attributes) => {
      if (name === 'p:sldId') ids.push(attributes['r:id'] ?? '');
    },
  });
  const targets = new Map(readRelations(files, PRESENTATION).map(({ id, target }) => [id, target]));
  return ids.map((id) => targets.get(id) ?? '');
}

function readRelations(files: ReadonlyMap<string, Buffer>, path: string) {
  const { dir, base } = posix.parse(path);
  const relations: { readonly id: string; readonly type: string; readonly target: string }[] = [];
  readXml(files.get(`${dir}/_rels/${base}.rels`)?.toString('utf8') ?? '', {
    open: (name, { Id: id = '', Type: type = '', Target: target = '' }) => {
      const file = target.startsWith('/') ? target.slice(1) : posix.join(dir, target);
      if (name === 'Relationship') relations.push({ id, type, target: file });
    },
  });
  return relations;
}

/** Without a title of its own, a slide would stand under that of the one before it. */
function nameSlide({ title, blocks }: Slide, page: number): readonly Block[] {
  if (title !== null) return [{ kind: 'heading', level: 1, text: title, page }, ...blocks];
  const [first, ...others] = blocks;
  if (first?.kind !== 'text') return blocks;
  const [line = '', ...more] = first.text.split('\n');
  if (line.length > LONGEST_TITLE) return blocks;
  const rest: Block[] = more.length > 0 ? [{ kind: 'text', text: more.join('\n'), page }] : [];
  return [{ kind: 'heading', level: 1, text: line, page }, ...rest, ...others];
}

/** The texts of a slide's shapes, a line for each paragraph, and its tables; those of notes too. */
function readSlide(xml: string, page: number): Slide {
  const blocks: Block[] = [];
  const titles: string[] = [];
  let [lines, line, role, isText, fallbacks]: [string[], string, string, boolean, number] = [
    [],
    '',
    '',
    false,
    0,
  ];
  let [rows, row, hasHeader]: [string[][], string[], boolean] = [[], [], false];
  const open = (name: string, attributes: Attributes) => {
    if (name === 'mc:Fallback') fallbacks += 1;
    else if (name === 'p:sp') [lines, role] = [[], ''];
    else if (name === 'p:ph') role = attributes.type ?? '';
    else if (name === 'a:p') line = '';
    else if (name === 'a:t') isText = true;
    else if (name === 'a:br' || name === 'a:tab') line += ' ';
    else if (name === 'a:tbl') [rows, hasHeader] = [[], false];
    else if (name === 'a:tblPr') hasHeader = attributes.firstRow === '1';
    else if (name === 'a:tr') row = [];
    else if (name === 'a:tc') lines = [];
  };
  const close = (name: string) => {
    if (name === 'mc:Fallback') fallbacks -= 1;
    // What older programs show instead is there once more.
    if (fallbacks > 0) return;
    if (name === 'a:t') isText = false;
    else if (name === 'a:p' && line.trim() !== '') lines.push(line.trim());
    else if (name === 'a:tc') row.push(lines.splice(0).join(' '));
    else if (name === 'a:tr') rows.push(row);
    else if (name === 'a:tbl') {
      const [header, ...body] = hasHeader ? rows : [[], ...rows];
      blocks.push({ kind: 'table', header: header ?? [], rows: body, page });
    } else if (name === 'p:sp' && lines.length > 0) {
      if (TITLES.has(role)) titles.push(lines.join(' '));
      else if (!SURROUNDINGS.has(role)) blocks.push({ kind: 'text', text: lines.join('\n'), page });
    }
  };
  readXml(xml, {
    open,
    close,
    text: (text) => {
      if (isText && fallbacks === 0) line += text;
    },
  });
  return { title: titles.join(' ') || null, blocks };
}

function readXml(
  xml: string,
  on: {
    readonly open: (name: string, attributes: Attributes) => void;
    readonly close?: (name: string) => void;
    readonly text?: (text: string) => void;
  },
): void {
  const parser = new Parser(
    { onopentag: on.open, onclosetag: (name) => on.close?.(name), ontext: (text) => on.text?.(text) },
    { xmlMode: true },
  );
  parser.end(xml);
}

function textIn(files: ReadonlyMap<string, Buffer>, path: string): string {
  const file = files.get(path);
  if (!file) throw new Unreadable('broken');
  return file.toString('utf8');
}
