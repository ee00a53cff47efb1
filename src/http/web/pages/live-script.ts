/**
 * Keeps an open page current: asks for it anew whenever it's told of a change. A page in the background gives up its stream,
 * of which browsers take six to one host over HTTP/1.1, and asks now and then. Of `live`: `ask` is what is fetched, `address`
 * its stream, `version` says which is shown (null: nothing changes any more), `fits` whether a status is of the page, and
 * `show` puts in what differs.
 */
export const LIVE = `
const away = (isAway) => {
  document.getElementById('away').hidden = !isAway;
  for (const button of document.querySelectorAll('button[name=word]')) button.disabled = isAway;
};
const live = ({ ask, address, version, fits, show }) => {
  let isStale = false;
  let isAsking = false;
  const refresh = async () => {
    isStale = true;
    if (isAsking) return;
    isAsking = true;
    while (isStale) {
      isStale = false;
      const answer = await fetch(ask).catch(() => null);
      if (answer && answer.status === 401) return location.reload();
      const text = answer && fits(answer.status) ? await answer.text().catch(() => null) : null;
      away(text === null);
      if (text !== null) show(text);
      else {
        isStale = true;
        await new Promise((then) => setTimeout(then, 2000));
      }
    }
    isAsking = false;
    if (version() === null) leave();
  };
  let events = null;
  const leave = () => {
    if (events) events.close();
    events = null;
  };
  const follow = () => {
    if (events || document.hidden || version() === null) return;
    const opened = new EventSource(address + '?version=' + version());
    events = opened;
    opened.onmessage = refresh;
    opened.onopen = () => away(false);
    opened.onerror = () => {
      if (opened.readyState !== EventSource.CLOSED) return away(true);
      // Refused, such as for too many streams: whether anything answers, the page says.
      refresh();
      setTimeout(() => {
        if (events === opened) events = null;
        refresh().then(follow);
      }, 5000);
    };
  };
  document.addEventListener('visibilitychange', () => {
    if (version() === null) return;
    if (!document.hidden) return void refresh().then(follow);
    leave();
  });
  setInterval(() => document.hidden && version() !== null && refresh(), 30000);
  follow();
};
`;

/**
 * Keeps what somebody was typing about a call, as long as that hasn't changed, or about several of one request: while the page
 * changes, and over a new sign-in in the same tab, of the same person, from one page to another. It never leaves the browser.
 * `who` is the person whose page it is, and `whoIn` says for whom another one was made: in another tab, somebody else may have
 * signed in meanwhile.
 */
export const TYPED = `
const whoIn = (page) => {
  const named = page.querySelector('[data-who]');
  return named && named.dataset.who;
};
const who = whoIn(document);
const boundTo = ({ id, name, form: { action, elements } }) =>
  elements.digest
    ? [new URL(action).pathname, elements.digest.value, elements.place ? elements.place.value : '', name].join(' ')
    : id;
const fields = () =>
  [...document.querySelectorAll('textarea, input[type=text]')].filter(
    ({ form }) => form && (form.elements.digest || form.elements.calls),
  );
const readTyped = () => fields().filter(({ value }) => value !== '').map((field) => [boundTo(field), field.value]);
const putTyped = (typed) => {
  const values = new Map(typed);
  for (const field of fields()) {
    const value = values.get(boundTo(field));
    if (value === undefined || field.value !== '') continue;
    field.value = value;
    const folded = field.closest('details');
    if (folded) folded.open = true;
  }
};
let next = [];
addEventListener('pagehide', () => sessionStorage.setItem('left', JSON.stringify({ who, typed: readTyped(), next })));
const left = JSON.parse(sessionStorage.getItem('left') || '{}');
sessionStorage.removeItem('left');
if (left.who === who) putTyped(left.typed);
`;
