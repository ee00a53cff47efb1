/**
 * Keeps an open page current: asks for the list anew whenever it's told of a change, and puts in what differs. What
 * somebody is typing into stays, as long as its call hasn't changed; also over a new sign-in, in the same tab, of the same
 * person. A page in the background gives up its stream, of which browsers take six to one host over HTTP/1.1, and asks now
 * and then.
 */
export const SCRIPT = `
const list = document.getElementById('list');
const at = location.pathname.replace(/\\/$/, '');
const away = (isAway) => {
  document.getElementById('away').hidden = !isAway;
  for (const button of list.querySelectorAll('button[name]')) button.disabled = isAway;
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
let events = null;
const follow = () => {
  if (events || document.hidden) return;
  const opened = new EventSource(at + '/events?version=' + list.firstElementChild.dataset.version);
  events = opened;
  opened.onmessage = refresh;
  opened.onopen = () => away(false);
  opened.onerror = () => {
    if (opened.readyState !== EventSource.CLOSED) return away(true);
    // Refused, such as for too many streams: whether anything answers, the list says.
    refresh();
    setTimeout(() => {
      if (events === opened) events = null;
      refresh().then(follow);
    }, 5000);
  };
};
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return void refresh().then(follow);
  if (events) events.close();
  events = null;
});
setInterval(() => document.hidden && refresh(), 30000);
const who = document.querySelector('.brand').textContent;
const fields = (call) => call.querySelectorAll('textarea, input[type=text]');
addEventListener('pagehide', () => {
  const typed = [...list.querySelectorAll('article')].flatMap((call) =>
    [...fields(call)]
      .filter((field) => field.value !== '')
      .map((field) => [field.id, call.dataset.version, field.value]),
  );
  sessionStorage.setItem('typed', JSON.stringify({ who, typed }));
});
const kept = JSON.parse(sessionStorage.getItem('typed') || '{}');
sessionStorage.removeItem('typed');
for (const [id, version, text] of kept.who === who ? kept.typed : []) {
  const field = document.getElementById(id);
  if (!field || field.value !== '' || field.closest('article').dataset.version !== version) continue;
  field.value = text;
  const folded = field.closest('details');
  if (folded) folded.open = true;
}
follow();
`;
