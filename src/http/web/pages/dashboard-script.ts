/**
 * Keeps an open page current: asks for the list anew whenever it's told of a change, and puts in what differs. What
 * somebody is typing into stays, as long as its call hasn't changed.
 */
export const SCRIPT = `
const list = document.getElementById('list');
const at = location.pathname.replace(/\\/$/, '');
const events = new EventSource(at + '/events?version=' + list.firstElementChild.dataset.version);
events.onmessage = async () => {
  const answer = await fetch(at + '/waiting');
  if (answer.status === 401) return location.reload();
  if (!answer.ok) return;
  const next = document.createElement('div');
  next.innerHTML = await answer.text();
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
const away = (isAway) => {
  document.getElementById('away').hidden = !isAway;
  for (const button of list.querySelectorAll('button')) button.disabled = isAway;
};
events.onopen = () => away(false);
events.onerror = () => {
  away(true);
  if (events.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
};
`;
