import { BrandMark, displayName, useWorkspaceState } from '../shell/people.tsx';

const EXAMPLES = [
  'create a meeting called Standup tomorrow at 9am',
  'what is on my calendar this week?',
  'create 2 events: Team Meeting at 10am and Lunch with Bob at 12pm',
] as const;

/** What an empty conversation teaches: what to write, with examples that a click puts in the composer. */
export function Welcome({ direct, onExample }: { direct: boolean; onExample: (text: string) => void }) {
  const { bot, me } = useWorkspaceState();
  const name = displayName(bot);
  return (
    <section className="welcome">
      <span className="welcome-mark">
        <BrandMark />
      </span>
      <h3>{direct ? `Hello ${displayName(me).split(' ')[0]}, this is ${name}` : 'Nothing here yet'}</h3>
      <p>
        {direct
          ? `Write what you need. ${name} reads and plans freely; whatever would change something waits as a card in the thread until the right person has signed for it.`
          : `Mention ${name} to ask it something; it answers in a thread.`}
      </p>
      <p className="welcome-lead" id="examples">
        Try one of these:
      </p>
      <ul aria-labelledby="examples">
        {EXAMPLES.map((example) => (
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
    </section>
  );
}
