import { Dialog } from './dialog.tsx';

/** What this page is, and how to use Countersign in a real Slack workspace instead. */
export function About({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="About this workspace" className="dialog-about" onClose={onClose} closeOnBackdrop>
      <header className="dialog-head">
        <h2 className="dialog-title">A local stand-in for Slack</h2>
      </header>
      <div className="dialog-body prose">
        <p>
          No Slack tokens are set, so Countersign runs against this workspace on your own machine. It answers
          with the events and the rules that Slack has; nothing written here reaches Slack. Whoever asks for
          something signs for it: switch between the people at the top to see what the others see, and that
          their clicks decide nothing of yours.
        </p>
        <h3>Connect your Slack workspace</h3>
        <ol>
          <li>
            Create an app at{' '}
            <a href="https://api.slack.com/apps" target="_blank" rel="noopener noreferrer">
              api.slack.com/apps
            </a>{' '}
            from the app manifest that comes with Countersign, and install it in your workspace.
          </li>
          <li>
            Put its two tokens into the environment:
            <pre>
              <code>{'SLACK_BOT_TOKEN=xoxb-…\nSLACK_APP_TOKEN=xapp-…'}</code>
            </pre>
          </li>
          <li>
            Start Countersign again with <code>npm start</code> and mention it in a channel.
          </li>
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
