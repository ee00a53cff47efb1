import type { JsonObject } from '../../json.ts';
import { PlainText, SafeLink } from '../text/text.tsx';
import { BLOCK } from '../texts.ts';
import { readObject, readObjects, readString, safeUrl } from './block-kit.ts';
import { RichText } from './rich-text.tsx';

const STATES: Readonly<Record<string, string>> = BLOCK.task;

/** One step of what the app is doing. */
export function TaskCard({ task }: { task: JsonObject }) {
  const status = readString(task.status) || 'pending';
  return (
    <div className={`task task-${status}`}>
      <span className="task-mark" role="img" aria-label={STATES[status] ?? status} />
      <div className="task-text">
        <PlainText text={readString(task.title)} />
        {task.details !== undefined && <RichText block={readObject(task.details)} />}
        {task.output !== undefined && <RichText block={readObject(task.output)} />}
        {readObjects(task.sources).map((source) => {
          const url = safeUrl(source.url);
          return url === null ? null : <SafeLink key={url} url={url} label={readString(source.text)} />;
        })}
      </div>
    </div>
  );
}

/** A titled list of steps. */
export function Plan({ block }: { block: JsonObject }) {
  return (
    <section className="plan">
      <h4>
        <PlainText text={readString(block.title)} />
      </h4>
      {readObjects(block.tasks).map((task) => (
        <TaskCard key={readString(task.task_id)} task={task} />
      ))}
    </section>
  );
}
