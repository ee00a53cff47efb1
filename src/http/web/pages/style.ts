/** The style of every page: light and dark, from a phone's width on, nothing from elsewhere. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f5f2, #17181b);
  --paper: light-dark(#ffffff, #202226);
  --ink: light-dark(#1d1c1d, #e8e8e6);
  --soft: light-dark(#5f5e62, #a5a6aa);
  --line: light-dark(#dedcd6, #3a3d43);
  --box: light-dark(#f3f2ee, #191b1e);
  --go: light-dark(#007a5a, #2bac76);
  --on-go: light-dark(#ffffff, #06130d);
  --stop: light-dark(#b3261e, #f2817a);
  --warn: light-dark(#fdf3da, #3a2f12);
  --warn-line: light-dark(#d9a521, #8a6a17);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
main:has(nav) { max-width: 64rem; }
#list { max-width: 44rem; }
.brand { color: var(--soft); font-size: .875rem; margin: 0 0 1rem; display: flex; gap: .5rem 1rem; flex-wrap: wrap; justify-content: space-between; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; }
.card + .card { margin-top: 1rem; }
.card > :last-child { margin-bottom: 0; }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 .5rem; }
h1 small { font-size: .9375rem; font-weight: 400; color: var(--soft); }
p { margin: .5rem 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.small { font-size: .875rem; }
.facts { margin: .25rem 0 0; color: var(--soft); }
.warning { background: var(--warn); border: 1px solid var(--warn-line); border-radius: .5rem; padding: .5rem .75rem; margin: .75rem 0 0; }
dl.arguments { margin: 1rem 0 0; border-top: 1px solid var(--line); }
dl.arguments > div { display: grid; grid-template-columns: minmax(6rem, 11rem) 1fr; gap: .125rem 1rem; padding: .625rem 0; border-bottom: 1px solid var(--line); }
dt { font-weight: 600; overflow-wrap: anywhere; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
code, pre { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
dd code { background: var(--box); border-radius: .25rem; padding: .0625rem .25rem; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: .375rem; margin: 0; padding: .5rem .625rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.note { color: var(--soft); font-style: italic; }
.sent { display: block; color: var(--soft); font-size: .8125rem; margin-top: .125rem; }
.sent pre { margin-top: .25rem; }
form { margin: 1rem 0 0; }
form:first-child { margin-top: 0; }
form + form, .or { border-top: 1px solid var(--line); margin-top: 1.25rem; padding-top: 1.25rem; }
.brand form { display: inline; margin: 0 0 0 .5rem; }
button.plain { width: auto; padding: 0; background: none; border: 0; color: var(--go); font-weight: 400; text-decoration: underline; }
label { display: block; font-weight: 600; }
label + .small { margin: 0; }
input[type=text], input[type=date], input[type=number], input[type=password], textarea { width: 100%; margin: .25rem 0 .75rem; padding: .5rem .625rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: .375rem; }
textarea { min-height: 4.5rem; resize: vertical; }
button, .button { display: inline-block; padding: .625rem 1.125rem; font: inherit; font-weight: 600; border-radius: .5rem; border: 1px solid transparent; cursor: pointer; text-decoration: none; }
.go { background: var(--go); color: var(--on-go); }
.danger { background: var(--stop); color: var(--paper); }
.stop { background: transparent; color: var(--stop); border-color: var(--stop); }
.other { background: transparent; color: var(--ink); border-color: var(--soft); }
:focus-visible { outline: 3px solid var(--go); outline-offset: 2px; }
details { margin-top: .75rem; }
details > label { margin-top: .5rem; }
article > .card { border: 0; padding: 0; background: transparent; }
.buttons { display: flex; flex-wrap: wrap; align-items: flex-start; gap: .5rem; margin: .5rem 0; }
.confirm { margin: 0; }
.confirm[open] { flex-basis: 100%; border: 1px solid var(--stop); border-radius: .5rem; padding: .75rem; }
.confirm pre { margin: 0 0 .75rem; }
summary.danger { color: var(--paper); list-style: none; }
.confirm[open] > summary { background: transparent; color: var(--stop); border-color: var(--stop); }
summary.danger::-webkit-details-marker { display: none; }
.card + article, article + .card { margin-top: 1rem; }
ul { margin: 0; padding-left: 1.25rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
h1 + .card { margin-top: 1rem; }
[hidden] { display: none !important; }
summary { cursor: pointer; color: var(--soft); }
details pre { margin-top: .5rem; }
dd:has(> details[open]) > .start, .unfolded, .written { display: none; }
.folds .unfolded { display: block; }
.folds button[value=approve], .folds .confirm { display: none; }
.group > .all { margin-top: 1rem; }
.group + *, * + .group { margin-top: 1rem; }
.group:has(details.whole:not([open])) > .all .unfolded { display: block; }
.group:has(details.whole:not([open])) > .all .buttons { display: none; }
.group:has(article textarea[placeholder]:not(:placeholder-shown)) > .all .written { display: block; }
.group:has(article textarea[placeholder]:not(:placeholder-shown)) > .all .buttons,
.all:has(textarea:not(:placeholder-shown)) button[value=approve] { display: none; }
.folds:not(:has(details.whole:not([open]))) .unfolded { display: none; }
.folds:not(:has(details.whole:not([open]))) :is(button[value=approve], .confirm) { display: inline-block; }
nav ul { list-style: none; padding: 0; margin: 0 0 1rem; display: flex; flex-wrap: wrap; gap: .25rem .5rem; }
nav a { display: inline-block; padding: .375rem .625rem; border: 1px solid var(--line); border-radius: .5rem; color: var(--ink); text-decoration: none; background: var(--paper); }
nav a[aria-current] { border-color: var(--go); font-weight: 600; }
a { color: var(--go); }
a.go { color: var(--on-go); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
td { min-width: 4rem; }
figure { margin: 0 0 1rem; }
.chart { display: block; width: 100%; height: 5rem; fill: var(--go); background: var(--box); }
.ends { display: flex; justify-content: space-between; margin: 0; }
fieldset { border: 1px solid var(--line); border-radius: .375rem; margin: 0 0 .75rem; }
label.check { font-weight: 400; padding: .25rem 0; }
select { width: 100%; margin: .25rem 0 .75rem; padding: .5rem .625rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: .375rem; }
.timeline { padding-left: 1.25rem; margin: .5rem 0 0; }
.steps { padding-left: 0; list-style: none; }
.steps > li { margin-top: .25rem; overflow-wrap: anywhere; }
.timeline > li { margin-bottom: .75rem; overflow-wrap: anywhere; }
.filter { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 0 1rem; align-items: end; }
@media (max-width: 34rem) {
  dl.arguments > div { grid-template-columns: 1fr; }
  button:not(.plain), .button { width: 100%; text-align: center; }
  .confirm { flex-basis: 100%; }
  .stacks thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacks :is(table, tbody, tr, td) { display: block; }
  .stacks td { border: 0; padding: .125rem 0; overflow-wrap: anywhere; }
  .stacks td:empty { display: none; }
  .stacks td::before { content: attr(data-heading) ": "; color: var(--soft); }
  .stacks td > details { margin-top: .25rem; }
  .stacks tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
}
`;
