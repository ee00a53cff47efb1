import type { PageChannel } from '../../server/page-api.ts';
import { BrandMark, displayName, useWorkspaceState } from '../shell/people.tsx';
import { WELCOME } from '../texts.ts';

/** What an empty conversation teaches: what to write, with examples that a click puts in the composer. */
export function Welcome({ channel, onExample }: { channel: PageChannel; onExample: (text: string) => void }) {
  const { bot, me, texts } = useWorkspaceState();
  const direct = channel.kind === 'im';
  const examples = (direct ? null : texts.examplesIn[channel.name]) ?? texts.examples;
  const name = displayName(bot);
  return (
    <section className="welcome">
      <span className="welcome-mark">
        <BrandMark />
      </span>
      <h3>{direct ? WELCOME.direct(displayName(me).split(' ')[0] ?? '', name) : WELCOME.nothing}</h3>
      <p>{direct ? texts.welcome : WELCOME.mention(name)}</p>
      {examples.length > 0 && (
        <>
          <p className="welcome-lead" id="examples">
            {WELCOME.examples}
          </p>
          <ul aria-labelledby="examples">
            {examples.map((example) => (
              <li key={example}>
                <button
                  type="button"
                  className="example"
                  // A command is typed as it is anywhere.
                  onClick={() =>
                    onExample(direct || example.startsWith('/') ? example : `@${bot.name} ${example}`)
                  }
                >
                  <span>{example}</span>
                  <span className="example-take" aria-hidden="true">
                    ↵
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
