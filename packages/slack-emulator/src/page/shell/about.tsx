import { ABOUT, SHELL } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { useWorkspaceState } from './people.tsx';

/** What this page is, and how to connect the app to a real Slack workspace instead. */
export function About({ onClose }: { onClose: () => void }) {
  const { title, about } = useWorkspaceState().texts;
  return (
    <Dialog label={ABOUT.label} className="dialog-about" onClose={onClose} closeOnBackdrop>
      <header className="dialog-head">
        <h2 className="dialog-title">{ABOUT.title}</h2>
      </header>
      <div className="dialog-body prose">
        <p>{ABOUT.what(about)}</p>
        <h3>{ABOUT.connect}</h3>
        <ol>
          <li>
            {ABOUT.createApp}{' '}
            <a href="https://api.slack.com/apps" target="_blank" rel="noopener noreferrer">
              {ABOUT.createAppAt}
            </a>{' '}
            {ABOUT.fromManifest(title)}
          </li>
          <li>
            {ABOUT.tokens}
            <pre>
              <code>{'SLACK_BOT_TOKEN=xoxb-…\nSLACK_APP_TOKEN=xapp-…'}</code>
            </pre>
          </li>
          <li>{ABOUT.start(title)}</li>
        </ol>
      </div>
      <footer className="dialog-actions">
        <button type="button" className="button button-primary" onClick={onClose}>
          {SHELL.close}
        </button>
      </footer>
    </Dialog>
  );
}
