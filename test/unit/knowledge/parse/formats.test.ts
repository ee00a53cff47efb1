import { describe, expect, it } from 'vitest';
import { createParseFile } from '../../../../src/knowledge/parse/parse-file.ts';
import type { Block, DocumentKind } from '../../../../src/knowledge/ports.ts';
import {
  makeDocx,
  makePdf,
  makePptx,
  makeXlsx,
  slideShape,
  slideTable,
  wordParagraph,
} from '../../../helpers/made-documents.ts';

const parse = createParseFile();

/** What is read of a file, each block in a line. */
async function read(kind: DocumentKind, content: string | Buffer) {
  const result = await parse(Buffer.from(content), kind);
  if (!result.ok) return { problem: result.problem };
  const { title, pages, blocks } = result.document;
  return { title, pages, blocks: blocks.map(describeBlock) };
}

function describeBlock(block: Block): string {
  const page = block.page === null ? '' : `p${block.page} `;
  if (block.kind === 'heading') return `${page}${'#'.repeat(block.level)} ${block.text}`;
  if (block.kind === 'text') return `${page}${block.text}`;
  return `${page}${[block.header, ...block.rows].map((row) => `[${row.join('|')}]`).join('')}`;
}

describe('Markdown', () => {
  it('has headings, paragraphs, lists, code and tables', async () => {
    const text = `# Leave &amp; *sickness*

Thirty **days**
a [year](https://example.com).

- One
  - Two
- Three

1. \`four\`

## Code

\`\`\`js
if (x < 1) {

  y();
}
\`\`\`

| Year | Days |
|------|-----:|
| 2024 | 30 \\| 31 |
`;
    expect(await read('markdown', text)).toEqual({
      title: 'Leave & sickness',
      pages: null,
      blocks: [
        '# Leave & sickness',
        'Thirty days a year.',
        '- One\n  - Two\n- Three',
        '- four',
        '## Code',
        'if (x < 1) {\n\n  y();\n}',
        '[Year|Days][2024|30 | 31]',
      ],
    });
  });

  it('has its front matter as text, and nothing that isn’t shown', async () => {
    const text = '---\nowner: Ann\n---\n# A\n\n<!-- not shown --><div hidden>nor this</div>\n\n<b>shown</b>';
    expect(await read('markdown', text)).toMatchObject({ blocks: ['owner: Ann', '# A', 'shown'] });
  });
});

describe('text', () => {
  it('has paragraphs by empty lines', async () => {
    const blocks = ['One\ntwo', 'Three', 'Four'];
    expect(await read('text', 'One\r\ntwo\r\n\r\n \t\r\nThree\n\n\nFour\n')).toEqual({
      title: null,
      pages: null,
      blocks,
    });
  });

  const word = 'Größe €';
  it.each([
    ['UTF-8', Buffer.from(word)],
    ['UTF-8 with its mark', Buffer.from(`\ufeff${word}`)],
    ['UTF-16, little end first', Buffer.from(`\ufeff${word}`, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`\ufeff${word}`, 'utf16le').swap16()],
    ['the encoding of Windows', Buffer.from('Gr\xf6\xdfe \x80', 'latin1')],
  ])('is read in %s', async (_, content) => {
    expect(await read('text', content)).toMatchObject({ blocks: [word] });
  });

  it('has no control characters and no halves of characters', async () => {
    const half = Buffer.from('\ufeffone\0two\x1b[31m \ud83d three and some more words\fpage', 'utf16le');
    expect(await read('text', half)).toMatchObject({
      blocks: ['onetwo[31m \ufffd three and some more words\npage'],
    });
  });
});

describe('HTML', () => {
  it('has headings, paragraphs, lists and tables', async () => {
    const html = `<!doctype html><html><head><title>A  page</title><style>p {}</style></head><body>
      <h1>Leave<br>rules</h1><div>Loose <i>te</i>xt<p>One&nbsp;two &lt;3<br>three</p></div>
      <ul><li><p>a</p><ol><li>b</ol><li></li><li>c</ul>
      <table><caption>Days</caption><thead><tr><th>Year<th>Days</thead>
        <tr><td>2024<td><ul><li>thirty<li>more</ul><tr><td colspan=2>all</table>
      <table><tr><td><h2>Only placed</h2></td></tr></table>
      <pre>  x\n    y</pre></body></html>`;
    expect(await read('html', html)).toEqual({
      title: 'A page',
      pages: null,
      blocks: [
        '# Leave rules',
        'Loose text',
        'One two <3\nthree',
        '- a\n  - b\n- c',
        'Days',
        '[Year|Days][2024|thirty more][all|]',
        'Only placed',
        '  x\n    y',
      ],
    });
  });

  it('has a header where a table says that it is one, whatever its cells are', async () => {
    const html =
      '<table><thead><tr><td>City<td>Euros</thead><tbody><tr><td>Utrecht<td>135</table><table><tr><td>a<td>b</table>';
    const result = await parse(Buffer.from(html), 'html');
    expect(result.ok && result.document.blocks).toMatchObject([
      { header: ['City', 'Euros'], rows: [['Utrecht', '135']] },
      { header: [], rows: [['a', 'b']] },
    ]);
  });

  it('has nothing of what isn’t shown', async () => {
    const unseen = [
      '<script>x</script>',
      '<style>x</style>',
      '<template><p>x</p></template>',
      '<noscript>x</noscript>',
      '<svg><text>x</text></svg>',
      '<p hidden>x',
      '<div hidden><div>x</div> <br> x</div>',
      '<p style="color: red; DISPLAY : none">x</p>',
      '<p style="visibility:hidden">x</p>',
      '<span style="font-size:0px">x</span>',
      '<span aria-hidden="true">x</span>',
      '<dialog>x</dialog>',
      '<!-- x -->',
    ];
    const html = unseen.map((it, index) => `<p>${index}</p>${it}`).join('');
    expect(await read('html', `${html}<p>end</p>`)).toMatchObject({
      blocks: [...unseen.map((_, index) => String(index)), 'end'],
    });
  });

  it('is read in the encoding that it names', async () => {
    const html = Buffer.concat([
      Buffer.from('<meta charset="shift_jis"><p>'),
      Buffer.from('93fa967b', 'hex'),
    ]);
    expect(await read('html', html)).toMatchObject({ blocks: ['日本'] });
  });
});

describe('CSV', () => {
  it.each([
    [',', 'Year,Days\n2024,"30, or ""more"""\n,\n2025,31\n'],
    [';', 'Year;Days\n2024;"30, or ""more"""\n2025;31\n'],
    ['tab', 'Year\tDays\n2024\t"30, or ""more"""\n2025\t31\n'],
    ['what Excel names', 'sep=|\r\nYear|Days\r\n2024|"30, or ""more"""\r\n2025|31\r\n'],
  ])('is a table, delimited by %s', async (_, text) => {
    expect(await read('csv', text)).toEqual({
      title: null,
      pages: null,
      blocks: ['[Year|Days][2024|30, or "more"][2025|31]'],
    });
  });

  it('has lines above its table as text', async () => {
    expect(await read('csv', 'Report of May,,\n\nYear,Days,By\n2024,30,Ann\n')).toMatchObject({
      blocks: ['Report of May', '[Year|Days|By][2024|30|Ann]'],
    });
  });

  it('may have a single column', async () => {
    expect(await read('csv', 'Name\nAnn\nBob\n')).toMatchObject({ blocks: ['[Name][Ann][Bob]'] });
  });
});

it('a table of many rows is whole', async () => {
  const rows = Array.from({ length: 1_234 }, (_, index) => `${index},x`);
  const result = await parse(Buffer.from(['n,x', ...rows].join('\n')), 'csv');
  const [table] = result.ok ? result.document.blocks : [];
  expect(table).toMatchObject({ kind: 'table', header: ['n', 'x'] });
  expect(table?.kind === 'table' && table.rows.map((row) => row.join())).toEqual(rows);
});

describe('PDF', () => {
  it('has headings, paragraphs and pages', async () => {
    const pdf = makePdf(
      [
        [
          { text: 'Leave rules', size: 20 },
          null,
          'Everybody has thirty days of leave in a year, which are to be asked for in ad-',
          'vance, and may be taken in parts.',
          null,
          'A second paragraph.',
          null,
          { text: 'Carrying over what is left of one year', size: 14 },
          { text: 'to the next', size: 14 },
          null,
          'Until March.',
        ],
        ['On the next page (with brackets).', '', { text: 'A note', size: 7 }],
      ],
      { title: 'Rules' },
    );
    expect(await read('pdf', pdf)).toEqual({
      title: 'Rules',
      pages: 2,
      blocks: [
        'p1 # Leave rules',
        'p1 Everybody has thirty days of leave in a year, which are to be asked for in advance, and may be taken in parts.',
        'p1 A second paragraph.',
        'p1 ## Carrying over what is left of one year to the next',
        'p1 Until March.',
        'p2 On the next page (with brackets).',
        'p2 A note',
      ],
    });
  });
});

it('DOCX has headings, paragraphs, lists and tables', async () => {
  const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;
  const row = (properties: string, ...texts: string[]) =>
    `<w:tr><w:trPr>${properties}</w:trPr>${texts.map(cell).join('')}</w:tr>`;
  const table = `<w:tbl>${row('<w:tblHeader/>', 'Year', 'Days')}${row('', '2024', '30')}</w:tbl>`;
  const docx = makeDocx(
    wordParagraph('Leave', 'Title') +
      wordParagraph('Rules &lt;b&gt;', 'Heading1') +
      wordParagraph('Text.') +
      table,
  );
  expect(await read('docx', docx)).toEqual({
    title: 'Leave',
    pages: null,
    blocks: ['# Leave', '# Rules <b>', 'Text.', '[Year|Days][2024|30]'],
  });
});

it('XLSX has a heading and a table for each sheet, with its dates and times', async () => {
  const xlsx = makeXlsx({
    Leave: [
      ['All leave', null],
      ['Who', 'From'],
      ['Ann', { date: 45_323 }],
      ['Bob', { date: 45_323.5 }],
      ['Carl', 1.25],
      ['Dora', { date: 0.3958333333333333 }],
      ['Emil', { date: 1.125 }],
    ],
    Nothing: [],
    More: [['x', 'y']],
  });
  expect(await read('xlsx', xlsx)).toEqual({
    title: null,
    pages: 3,
    blocks: [
      'p1 # Leave',
      'p1 All leave',
      'p1 [Who|From][Ann|2024-02-01][Bob|2024-02-01T12:00:00][Carl|1.25][Dora|09:30][Emil|27:00]',
      'p3 # More',
      'p3 [x|y]',
    ],
  });
});

it('PPTX has the titles, texts, tables and notes of its slides, in their order', async () => {
  const older = `<mc:AlternateContent><mc:Choice>${slideShape('body', 'New')}</mc:Choice><mc:Fallback>${slideShape('body', 'Old')}</mc:Fallback></mc:AlternateContent>`;
  const pptx = makePptx([
    {
      number: 2,
      shapes:
        slideShape('ctrTitle', 'Leave &amp; rules') +
        slideShape('body', 'One', 'Two') +
        slideShape('sldNum', '1'),
      notes: slideShape('sldNum', '1') + slideShape('body', 'Say hello.'),
    },
    {
      number: 1,
      shapes:
        slideShape('body', 'Untitled', 'More') +
        slideTable([
          ['Year', 'Days'],
          ['2024', '30'],
        ]) +
        older,
    },
    { number: 3, shapes: '' },
  ]);
  expect(await read('pptx', pptx)).toEqual({
    title: 'Leave & rules',
    pages: 3,
    blocks: [
      'p1 # Leave & rules',
      'p1 One\nTwo',
      'p1 Say hello.',
      'p2 # Untitled',
      'p2 More',
      'p2 [Year|Days][2024|30]',
      'p2 New',
    ],
  });
});
