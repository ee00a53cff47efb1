import type { App, RespondFn, ViewResponseAction } from '@slack/bolt';

/** A click, or a form that was sent. */
interface Interaction {
  readonly body: unknown;
  readonly ack: (response?: ViewResponseAction) => Promise<void>;
}
type Listener = (interaction: Interaction) => Promise<void>;

/** A click, with the way to change what only the person sees who clicked: there is none by its timestamp. */
interface ClickInteraction extends Interaction {
  readonly respond: RespondFn;
}
type ClickListener = (interaction: ClickInteraction) => Promise<void>;

/**
 * The listeners of a Bolt app. Bolt asks each of its own about each event, one promise after the other, so all buttons
 * share one, and all forms. What none of them is for isn't acknowledged here.
 */
export class Listeners {
  /** For events and commands. */
  readonly app: App;
  readonly #clicks = new Map<string, ClickListener>();
  readonly #clicksByPrefix = new Map<string, ClickListener>();
  readonly #forms = new Map<string, Listener>();

  constructor(app: App) {
    this.app = app;
    app.action(/^/, async ({ action, body, ack, respond }) => {
      if ('action_id' in action) await this.#ofClick(action.action_id)?.({ body, ack: () => ack(), respond });
    });
    app.view(/^/, async ({ view, body, ack }) => {
      await this.#forms.get(view.callback_id)?.({
        body,
        ack: (response) => (response ? ack(response) : ack()),
      });
    });
  }

  /** Listens to the buttons and menus with this action id or, with a `*` at its end, with ids that begin so. */
  click(actionId: string, listener: ClickListener): void {
    if (actionId.endsWith('*')) add(this.#clicksByPrefix, actionId.slice(0, -1), listener);
    else add(this.#clicks, actionId, listener);
  }

  /** Listens to the submission of the modals with this callback id. */
  form(callbackId: string, listener: Listener): void {
    add(this.#forms, callbackId, listener);
  }

  #ofClick(actionId: string): ClickListener | undefined {
    const exact = this.#clicks.get(actionId);
    if (exact !== undefined) return exact;
    return [...this.#clicksByPrefix].find(([prefix]) => actionId.startsWith(prefix))?.[1];
  }
}

function add<T>(listeners: Map<string, T>, id: string, listener: T): void {
  if (listeners.has(id)) throw new Error(`two listeners for ${id}`);
  listeners.set(id, listener);
}
