import { type CSSProperties, type ReactElement, Suspense, useState } from 'react';
import { useKey } from '../../keys/use-keys.ts';
import { IconButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { texts } from '../texts.ts';
import styles from './panel-stack.module.css';
import { panelTable } from './panel-table.ts';
import { usePanels } from './use-panels.ts';

const KEY = 'svc.panel-width';
const STEP_PX = 24;
const NARROWEST_PX = 280;

const widthBetween = (px: number): number => Math.max(NARROWEST_PX, Math.min(px, window.innerWidth - 2 * NARROWEST_PX));

/** The newest detail panel at the right edge; those below come back when it is closed. */
export const PanelStack = (): ReactElement | null => {
  const { stack, back, closeAll } = usePanels();
  const [width, setWidth] = useState(() => Number(localStorage.getItem(KEY) ?? 460));
  const top = stack.at(-1);
  useKey({ keys: 'Escape', does: texts.closePanel, run: back }, top !== undefined);
  if (top === undefined) return null;
  const resize = (px: number): void => {
    const next = widthBetween(px);
    setWidth(next);
    localStorage.setItem(KEY, String(next));
  };
  const View = panelTable[top.type];
  return (
    <aside className={styles.panel} style={{ '--width': `${width}px` } as CSSProperties} aria-label={texts.panels}>
      {/* biome-ignore lint/a11y/useSemanticElements: hr cannot be focused and moved */}
      <div
        className={styles.handle}
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={texts.resize}
        aria-valuenow={width}
        aria-valuemin={NARROWEST_PX}
        onKeyDown={({ key }) => {
          if (key === 'ArrowLeft') resize(width + STEP_PX);
          if (key === 'ArrowRight') resize(width - STEP_PX);
        }}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(window.innerWidth - event.clientX);
        }}
      />
      <div className={styles.bar}>
        {stack.length > 1 && <IconButton label="Back" icon="left" onClick={back} />}
        <span />
        <IconButton label={texts.closePanel} icon="close" onClick={closeAll} />
      </div>
      <div className={styles.content}>
        {View === undefined ? (
          <Empty title={`No details of the type ${top.type}`} />
        ) : (
          <Suspense fallback={<Loading />}>
            <View key={`${top.type} ${top.key}`} panelKey={top.key} />
          </Suspense>
        )}
      </div>
    </aside>
  );
};
