/**
 * Keeps an open page current: asks for the list anew whenever it's told of a change, and puts in what differs. What
 * somebody is typing into stays, as long as its call hasn't changed.
 */
export const SCRIPT = `
const list = document.getElementById('list');
const at = location.pathname.replace(/\\/$/, '');
const away = (isAway) => {
  document.getElementById('away').hidden = !isAway;
  for (const button of list.querySelectorAll('button')) button.disabled = isAway;
};
const show = (text) => {
  const next = document.createElement('div');
  next.innerHTML = text;
  const focused = document.activeElement;
  for (const call of next.querySelectorAll('article')) {
    const now = document.getElementById(call.id);
    if (now && now.dataset.version === call.dataset.version) call.replaceWith(now);
  }
  list.replaceChildren(...next.childNodes);
  if (focused && focused.isConnected) focused.focus();
  document.title = list.firstElementChild.dataset.title;
  document.getElementById('said').textContent = list.firstElementChild.dataset.said;
};
let isStale = false;
let isAsking = false;
const refresh = async () => {
  isStale = true;
  if (isAsking) return;
  isAsking = true;
  while (isStale) {
    isStale = false;
    const answer = await fetch(at + '/waiting').catch(() => null);
    if (answer && answer.status === 401) return location.reload();
    const text = answer && answer.ok ? await answer.text().catch(() => null) : null;
    away(text === null);
    if (text !== null) show(text);
    else {
      isStale = true;
      await new Promise((then) => setTimeout(then, 2000));
    }
  }
  isAsking = false;
};
const follow = () => {
  const events = new EventSource(at + '/events?version=' + list.firstElementChild.dataset.version);
  events.onmessage = refresh;
  events.onopen = () => away(false);
  events.onerror = () => {
    away(true);
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(() => refresh().then(follow), 5000);
  };
};
follow();
`;
