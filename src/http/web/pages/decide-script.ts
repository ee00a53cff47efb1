import { LIVE, TYPED } from './live-script.ts';

/** Keeps the page of one call current, see {@link LIVE}; what is being typed stays where the call is as it was. */
export const DECIDE_SCRIPT = `${TYPED}${LIVE}
const main = document.querySelector('main');
const versionIn = (page) => {
  const marked = page.querySelector('[data-version]');
  return marked && marked.dataset.version;
};
live({
  ask: location.pathname,
  address: location.pathname + '/events',
  version: () => versionIn(main),
  // Also that nobody is asked any more.
  fits: (status) => status < 500 && status !== 429,
  show: (text) => {
    const now = new DOMParser().parseFromString(text, 'text/html');
    if (whoIn(now) !== who) return location.reload();
    if (versionIn(now) === versionIn(main)) return;
    const typed = readTyped();
    const focused = main.contains(document.activeElement) ? document.activeElement : null;
    const away = document.getElementById('away');
    main.replaceChildren(...now.querySelector('main').childNodes);
    if (!document.getElementById('away')) main.append(away);
    putTyped(typed);
    document.title = now.title;
    if (!focused) return;
    const same = fields().find(({ name }) => name === focused.name);
    const heading = main.querySelector('h1');
    heading.tabIndex = -1;
    (same || heading).focus();
  },
});
`;
