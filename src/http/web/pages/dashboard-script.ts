import { LIVE, TYPED } from './live-script.ts';

/**
 * Keeps the list current, see {@link LIVE}: a call that hasn't changed stays as it is. Where the call that has the focus goes,
 * the next one gets it, also over the new page that comes after a decision.
 */
export const SCRIPT = `${TYPED}${LIVE}
const list = document.getElementById('list');
const at = location.pathname.replace(/\\/$/, '');
const idsFrom = (element) => {
  const call = element.closest('article');
  if (!call) return ['list'];
  const all = [...list.querySelectorAll('article')];
  const index = all.indexOf(call);
  return [...all.slice(index), ...all.slice(0, index).reverse()].map(({ id }) => id);
};
const focusOn = (ids) => {
  const call = ids.map((id) => document.getElementById(id)).find((one) => one);
  const heading = (call || list).querySelector('h1, h2');
  heading.tabIndex = -1;
  heading.focus();
};
const show = (text) => {
  const now = document.createElement('div');
  now.innerHTML = text;
  if (whoIn(now) !== who) return location.reload();
  const typed = readTyped();
  const focused = document.activeElement;
  const within = list.contains(focused) ? idsFrom(focused) : [];
  for (const call of now.querySelectorAll('article')) {
    const before = document.getElementById(call.id);
    if (before && before.dataset.version === call.dataset.version) call.replaceWith(before);
  }
  list.replaceChildren(...now.childNodes);
  putTyped(typed);
  if (focused && focused.isConnected) focused.focus();
  else if (within.length > 0) focusOn(within);
  document.title = list.firstElementChild.dataset.title;
  document.getElementById('said').textContent = list.firstElementChild.dataset.said;
};
list.addEventListener('submit', ({ target }) => {
  next = idsFrom(target);
});
if (left.who === who && left.next.length > 0) focusOn(left.next);
live({
  ask: at + '/waiting',
  address: at + '/events',
  version: () => list.firstElementChild.dataset.version,
  fits: (status) => status === 200,
  show,
});
`;
