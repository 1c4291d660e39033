import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { saveBlob } from '../../ui/save-as.ts';
import { type KeptLine, LEVELS, lineText } from './log-buffer.ts';
import { LogLines } from './log-lines.tsx';
import styles from './logs.module.css';
import { texts } from './texts.ts';
import { useLog } from './use-log.ts';

/** What the server that answers writes to its log, live. */
export const LogsPage = (): ReactElement => {
  const { level = 'info', contains = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { buffer, error } = useLog();
  const shown = useSyncExternalStore(buffer.watch, () => buffer.shown);
  const [held, setHeld] = useState<readonly KeptLine[]>();
  useEffect(() => buffer.setFilter({ level, contains }), [buffer, level, contains]);
  const lines = held ?? shown;
  const change = (next: Readonly<Record<string, string>>): void => {
    setHeld(undefined);
    void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true });
  };
  const pause = (): void => setHeld(held === undefined ? shown : undefined);
  useKey({ keys: 'p', does: held === undefined ? texts.pause : texts.goOn, run: pause });
  const waiting = held === undefined ? 0 : Math.max(0, shown.length - held.length);
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          <CopyMenu command="svc logs" path="/v1/admin/logs:stream" />
          <Button icon={held === undefined ? 'pause' : 'play'} onClick={pause} shortcut="p">
            {held === undefined ? texts.pause : texts.goOn}
          </Button>
          <Button
            icon="download"
            onClick={() => download(lines)}
            disabled={lines.length === 0}
            disabledReason={texts.waiting}
          >
            {texts.export}
          </Button>
          <Button
            onClick={() => {
              setHeld(undefined);
              buffer.clear();
            }}
          >
            {texts.clear}
          </Button>
        </>
      }
      filters={
        <>
          <SelectField
            label={texts.level}
            value={level}
            options={LEVELS.map((value) => ({ value, label: value }))}
            onChange={(next) => change({ level: next })}
          />
          <TextField
            label={texts.contains}
            type="search"
            value={contains}
            onChange={(next) => change({ contains: next })}
          />
          <span className={styles.count} role="status">
            {held === undefined
              ? `${lines.length} ${texts.of} ${buffer.lines.length} ${texts.lines}`
              : `${texts.paused}, ${waiting} ${texts.newLines}`}
          </span>
        </>
      }
    >
      {error && <Problem error={error} />}
      {error === undefined && lines.length === 0 && (
        <Empty icon="log" title={texts.waiting}>
          <p>{texts.waitingHint}</p>
        </Empty>
      )}
      {lines.length > 0 && <LogLines lines={lines} isHeld={held !== undefined} />}
    </Page>
  );
};

const download = (lines: readonly KeptLine[]): void =>
  saveBlob(new Blob([`${lines.map(lineText).join('\n')}\n`], { type: 'text/plain' }), 'svc.log');
