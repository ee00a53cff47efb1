import { BrandMark, displayName, useWorkspaceState } from '../shell/people.tsx';
import { WELCOME } from '../texts.ts';

/** What an empty conversation teaches: what to write, with examples that a click puts in the composer. */
export function Welcome({ direct, onExample }: { direct: boolean; onExample: (text: string) => void }) {
  const { bot, me, texts } = useWorkspaceState();
  const name = displayName(bot);
  return (
    <section className="welcome">
      <span className="welcome-mark">
        <BrandMark />
      </span>
      <h3>{direct ? WELCOME.direct(displayName(me).split(' ')[0] ?? '', name) : WELCOME.nothing}</h3>
      <p>{direct ? texts.welcome : WELCOME.mention(name)}</p>
      {texts.examples.length > 0 && (
        <>
          <p className="welcome-lead" id="examples">
            {WELCOME.examples}
          </p>
          <ul aria-labelledby="examples">
            {texts.examples.map((example) => (
              <li key={example}>
                <button
                  type="button"
                  className="example"
                  onClick={() => onExample(direct ? example : `@${bot.name} ${example}`)}
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
