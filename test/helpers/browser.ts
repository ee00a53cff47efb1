/**
 * A person's browser, as far as signing in goes: it follows redirects, keeps our cookies, and presses the one
 * button. `login` is who they are at other servers, `slackUser` who they say that they are in Slack.
 */
export function createBrowser(login: string, slackUser?: string) {
  const jars = new Map<string, Map<string, string>>();

  async function ask(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const cookies = [`login=${login}`, ...[...jar].map(([name, value]) => `${name}=${value}`)].join('; ');
    const headers = { ...Object.fromEntries(new Headers(init.headers)), cookie: cookies };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (/max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Goes there and on to wherever it is sent. */
  async function follow(url: string, init: RequestInit = {}): Promise<Page> {
    let [at, response] = [url, await ask(url, init)];
    for (let hops = 0; onFrom(response) !== null; hops += 1) {
      if (hops > 10) throw new Error('sent on and on');
      at = new URL(onFrom(response) ?? '', at).href;
      response = await ask(at);
    }
    const page = { url: at, status: response.status, headers: response.headers, text: await response.text() };
    // Where they have not said it; who has may also say that they are somebody else.
    const toSlack =
      page.status === 401 && /<a [^>]*href="([^"]*\/sign-in\/slack\?[^"]*)"/.exec(page.text)?.[1];
    return !toSlack || slackUser === undefined
      ? page
      : sayWho(new URL(toSlack.replaceAll('&amp;', '&'), at).href, slackUser);
  }

  async function sayWho(url: string, user: string): Promise<Page> {
    const authorize = await whereTo(url);
    return follow(authorize, { method: 'POST', headers: FORM, body: `user=${user}` });
  }

  const whereTo = async (url: string): Promise<string> => onFrom(await ask(url)) ?? '';

  return {
    open: (url: string): Promise<Page> => follow(url),
    /** Presses the page's button, and goes wherever that leads. */
    async press(page: Page): Promise<Page> {
      const { action, body } = formOf(page);
      return follow(action, { method: 'POST', headers: FORM, body });
    },
    /** Presses the button, and says where that would lead. */
    async pressAndStay(page: Page): Promise<string> {
      const { action, body } = formOf(page);
      const response = await ask(action, { method: 'POST', headers: FORM, body });
      return onFrom(response) ?? '';
    },
    /** Where it is sent from there. */
    whereTo,
    /** Opens a link of ours and signs in: the page at the end. */
    async signIn(link: string): Promise<Page> {
      return this.press(await follow(link));
    },
  };
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Where a browser goes on to by itself. */
function onFrom(response: Response): string | null {
  if (response.status >= 300 && response.status < 400) return response.headers.get('location');
  return /^0;url=(.*)$/.exec(response.headers.get('refresh') ?? '')?.[1] ?? null;
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

function formOf(page: Page): { action: string; body: string } {
  const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
  if (action === undefined) throw new Error(`There is no form on\n${page.text}`);
  const fields = [...page.text.matchAll(/<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"/g)];
  const body = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value])).toString();
  return { action: new URL(action, page.url).href, body };
}
