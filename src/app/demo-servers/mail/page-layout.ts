import { createHash } from 'node:crypto';
import { writeHidden } from '../../../presentation/text/visible.ts';

/** HTML in which nothing of a mail's is markup. */
export interface Escaped {
  readonly markup: string;
}

type Value = string | number | Escaped | readonly Escaped[];

/** HTML with values put in: texts are escaped, and what nobody would see in them is written out. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Escaped {
  const written = values.map((value) => {
    if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
    return [value]
      .flat()
      .map(({ markup }) => markup)
      .join('');
  });
  return { markup: String.raw({ raw: parts }, ...written) };
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dedcd6, #3a3d43); --paper: light-dark(#fff, #202226); --soft: light-dark(#5f5e62, #a5a6aa); --link: light-dark(#1264a3, #6cb8ee); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: minmax(11rem, 16rem) minmax(0, 1fr); min-height: 100vh; background: light-dark(#f6f5f2, #17181b); color: light-dark(#1d1c1d, #e8e8e6); font: 15px/1.5 system-ui, sans-serif; }
nav { padding: 1rem; border-right: 1px solid var(--line); overflow-wrap: anywhere; }
main { padding: 1rem 1.5rem; max-width: 70rem; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; } h1 small { font-weight: 400; color: var(--soft); }
h2 { font-size: .875rem; margin: 1rem 0 .5rem; } article h2 { font-size: 1.125rem; }
ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .25rem .5rem; border-radius: .375rem; color: inherit; text-decoration: none; }
nav a[aria-current] { background: var(--paper); font-weight: 600; }
nav b { float: right; }
#mails { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 0 1.5rem; align-items: start; }
#mails > p, #mails > article { grid-column: 1 / -1; }
section ul, article { background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
article { padding: 1rem 1.25rem; } section li + li { border-top: 1px solid var(--line); }
section a { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .75rem; padding: .5rem .75rem; color: inherit; text-decoration: none; }
section a span { grid-column: 1 / -1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } section a .who { grid-column: 1; }
.unread .who, .unread .subject { font-weight: 700; }
time, .soft { color: var(--soft); font-size: .875rem; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .125rem .75rem; margin: 0 0 1rem; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 0 0 1rem; }
a { color: var(--link); } details { margin: 1.5rem 0; } summary { cursor: pointer; }
form { display: grid; gap: .75rem; max-width: 34rem; margin-top: .75rem; } label { display: grid; gap: .25rem; }
input, textarea, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid light-dark(#86868b, #77797f); border-radius: .375rem; padding: .375rem .625rem; }
button { justify-self: start; cursor: pointer; }
@media (max-width: 40rem) { body { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; } nav { border-right: 0; border-bottom: 1px solid var(--line); } #mails { grid-template-columns: minmax(0, 1fr); } }
`;

/** Looks every two seconds whether something has come, and leaves alone what somebody writes meanwhile. */
const SCRIPT = `
const take = (from, selector) => {
  const [old, now] = [document, from].map((it) => it.querySelector(selector));
  if (old && now && old.innerHTML !== now.innerHTML && !old.contains(document.activeElement)) old.innerHTML = now.innerHTML;
};
setInterval(async () => {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
  take(now, '#mails');
  take(now, 'nav');
}, 2000);
`;

/** What a browser may do with the page: nothing of a mail's is loaded or followed by itself. */
export const POLICY = [
  "default-src 'none'",
  `style-src ${hash(STYLE)}`,
  `script-src ${hash(SCRIPT)}`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A whole page. */
export function page({ title, body }: { readonly title: string; readonly body: Escaped }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body.markup}
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Every blank but the ideographic one, which is as wide as its script's letters. */
const BLANKS = /(?!\u3000)\p{Zs}/gu;

function escaped(text: string): string {
  return writeHidden(text.replace(BLANKS, ' ')).replace(
    /[&<>"']/g,
    (character) => `&#${character.codePointAt(0) ?? 0};`,
  );
}
