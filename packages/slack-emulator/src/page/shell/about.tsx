import { Dialog } from './dialog.tsx';
import { useWorkspaceState } from './people.tsx';

/** What this page is, and how to connect the app to a real Slack workspace instead. */
export function About({ onClose }: { onClose: () => void }) {
  const { title, about } = useWorkspaceState().texts;
  return (
    <Dialog label="About this workspace" className="dialog-about" onClose={onClose} closeOnBackdrop>
      <header className="dialog-head">
        <h2 className="dialog-title">A local stand-in for Slack</h2>
      </header>
      <div className="dialog-body prose">
        <p>
          {about} The workspace answers with the events and the rules that Slack has; nothing written here
          reaches Slack. Switch between the people at the top to see what the others see.
        </p>
        <h3>Connect your Slack workspace</h3>
        <ol>
          <li>
            Create an app at{' '}
            <a href="https://api.slack.com/apps" target="_blank" rel="noopener noreferrer">
              api.slack.com/apps
            </a>{' '}
            from the app manifest of {title}, and install it in your workspace.
          </li>
          <li>
            Put its two tokens into the environment:
            <pre>
              <code>{'SLACK_BOT_TOKEN=xoxb-…\nSLACK_APP_TOKEN=xapp-…'}</code>
            </pre>
          </li>
          <li>Start {title} again and mention it in a channel.</li>
        </ol>
      </div>
      <footer className="dialog-actions">
        <button type="button" className="button button-primary" onClick={onClose}>
          Close
        </button>
      </footer>
    </Dialog>
  );
}
