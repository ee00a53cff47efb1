import { renderText } from '@countersign/slack-emulator/driver';
import type { TestApp } from './app.ts';

/** A page as a browser without scripts has it. */
export interface Visited {
  readonly status: number;
  readonly url: string;
  readonly html: string;
  /** The words of the page, one line each. */
  readonly text: string;
  readonly headers: Headers;
}

/** A browser without scripts: keeps cookies by host, follows redirects by hand, sends forms. */
export function createVisitor() {
  const jar = new Map<string, Map<string, string>>();
  const trail: string[] = [];

  async function visit(address: string, form?: Readonly<Record<string, string>>): Promise<Visited> {
    let url = address;
    let body = form && new URLSearchParams(form);
    for (let turns = 0; turns < 10; turns += 1) {
      const { host } = new URL(url);
      const cookies = [...(jar.get(host) ?? new Map())].map(([name, value]) => `${name}=${value}`);
      const response = await fetch(url, {
        redirect: 'manual',
        ...(body ? { method: 'POST', body } : {}),
        headers: cookies.length === 0 ? {} : { cookie: cookies.join('; ') },
      });
      trail.push(`${response.status} ${url}`);
      for (const line of response.headers.getSetCookie()) keepCookie(host, line);
      const location = response.headers.get('location');
      if (location === null) {
        const html = await response.text();
        return { status: response.status, url, html, text: textOf(html), headers: response.headers };
      }
      await response.arrayBuffer();
      url = new URL(location, url).href;
      body = undefined;
    }
    throw new Error(`Sent around in circles: ${trail.slice(-10).join(', ')}`);
  }

  function keepCookie(host: string, line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const cookies = jar.get(host) ?? new Map<string, string>();
    jar.set(host, cookies);
    if (/max-age=0/i.test(line)) cookies.delete(name);
    else cookies.set(name, value);
  }

  return {
    jar,
    /** Every answer on the way, with its status. */
    trail,
    visit,
    /** Follows the link that begins so, or is called so. */
    follow(page: Visited, words: string): Promise<Visited> {
      const links = [...page.html.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]*)<\/a>/g)];
      const href = links.find(([, , text]) => text === words)?.[1];
      if (href === undefined) throw new Error(`There is no link “${words}” in\n${page.text}`);
      return visit(new URL(unescaped(href), page.url).href);
    },
    /** Presses the button that is called so, with the form around it filled in. */
    press(page: Visited, button: string, filled: Readonly<Record<string, string>> = {}): Promise<Visited> {
      for (const [, attributes = '', inner = ''] of page.html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)) {
        const found = [...inner.matchAll(/<button[^>]*name="(\w+)" value="([^"]*)"[^>]*>([^<]*)<\/button>/g)];
        const [, name, value] = found.find(([, , , text]) => unescaped(text ?? '') === button) ?? [];
        if (name === undefined || value === undefined) continue;
        const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
        const fields = Object.fromEntries(hidden.map(([, field = '', it = '']) => [field, unescaped(it)]));
        const action = /action="([^"]*)"/.exec(attributes)?.[1];
        const to = action === undefined ? page.url : new URL(unescaped(action), page.url).href;
        return visit(to, { ...fields, ...filled, [name]: value });
      }
      throw new Error(`There is no button “${button}” in\n${page.text}`);
    },
  };
}
export type Visitor = ReturnType<typeof createVisitor>;

/** Signs in at the stand-in as this person, for the page at this address; gives the page that follows. */
export async function signIn(
  visitor: Visitor,
  app: Pick<TestApp, 'driver'>,
  who: string,
  address: string,
): Promise<Visited> {
  const before = await visitor.visit(address);
  const asked = await visitor.follow(before, 'Sign in with Slack');
  const person = app.driver.workspace.people.get(app.driver.as(who).id);
  // Whoever signed in last in this browser comes first there.
  const again = `Continue as ${person?.realName ?? ''}`;
  return visitor.press(asked, asked.text.includes(again) ? again : `I am ${person?.realName ?? ''}`);
}

/** Clicks “Decide on the web…” as this person, and reads the address that they alone are shown. */
export async function decideAddress(app: TestApp, who: string, click: () => Promise<void>): Promise<string> {
  await click();
  const person = app.driver.as(who);
  const modal = await person.waitForModal();
  const address = /https?:\/\/\S+\/decide\/[\w-]+/.exec(renderText({ blocks: modal.blocks }))?.[0];
  if (address === undefined) throw new Error(`No address in\n${renderText({ blocks: modal.blocks })}`);
  await person.close();
  return address;
}

function textOf(html: string): string {
  const body = /<main>([\s\S]*)<\/main>/.exec(html)?.[1] ?? html;
  const lines = unescaped(body.replace(/<(?!\/?(?:small|code|span)\b)[^>]*>/g, '\n').replace(/<[^>]*>/g, ''));
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function unescaped(text: string): string {
  const names: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name: string | undefined) =>
    code === undefined ? (names[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  );
}
