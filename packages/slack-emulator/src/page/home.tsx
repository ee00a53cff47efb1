import { useCallback, useEffect, useState } from 'react';
import type { JsonObject } from '../json.ts';
import { Blocks } from './blocks/block.tsx';
import type { FormValues } from './blocks/form.ts';
import { SurfaceProvider } from './blocks/surface.tsx';
import { displayName, useWorkspaceState } from './shell/people.tsx';
import { useReport } from './shell/toast.tsx';
import { send } from './state/api.ts';
import { CONVERSATION } from './texts.ts';

/** The app's Home, as it published it for whoever looks. Opening it tells the app so. */
export function Home() {
  const { home, me, bot } = useWorkspaceState();
  const report = useReport();
  const [edits, setEdits] = useState<FormValues>({});
  const viewId = home?.id ?? '';

  useEffect(() => {
    report(send('home', { user: me.id }));
  }, [me.id, report]);

  const sendAction = useCallback(
    (blockId: string, actionId: string, fields: JsonObject, values: FormValues) =>
      report(
        send('view-action', {
          user: me.id,
          view_id: viewId,
          block_id: blockId,
          action_id: actionId,
          ...fields,
          state: { values },
        }),
      ),
    [me.id, viewId, report],
  );

  if (home === null) return <p className="empty">{CONVERSATION.noHome(displayName(bot))}</p>;
  return (
    <div className="home" role="tabpanel" aria-label={CONVERSATION.home}>
      <SurfaceProvider blocks={home.blocks} edits={edits} onEdits={setEdits} onAction={sendAction}>
        <Blocks blocks={home.blocks} />
      </SurfaceProvider>
    </div>
  );
}
