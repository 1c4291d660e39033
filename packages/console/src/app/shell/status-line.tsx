import { type ReactElement, Suspense, useState } from 'react';
import { useAccess } from '../../access/access-context.ts';
import { texts as accessTexts } from '../../access/texts.ts';
import { useKey } from '../../keys/use-keys.ts';
import { useLiveState } from '../../live/live-context.ts';
import { pageFacts } from '../../page-facts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { nextTheme } from '../../ui/theme.ts';
import { switchTimes, Time, useAbsoluteTimes } from '../../ui/time.tsx';
import { millisOf } from '../../ui/time-texts.ts';
import { texts } from '../texts.ts';
import styles from './status-line.module.css';

const KeyHelp = lazyPart(async () => (await import('./key-help.tsx')).KeyHelp);

/** A sign-in that ends within this time is announced. */
const SOON_MS = 10 * 60_000;

/** Connection, version, and who the person is. */
export const StatusLine = (): ReactElement => {
  const { whoAmI, credential, signOut } = useAccess();
  const state = useLiveState();
  const timesAreAbsolute = useAbsoluteTimes();
  const [showsKeys, setShowsKeys] = useState(false);
  useKey({ keys: '?', does: texts.keys, run: () => setShowsKeys(true) });
  const endsSoon = whoAmI.expiresAt !== undefined && millisOf(whoAmI.expiresAt) - Date.now() < SOON_MS;
  const grants = whoAmI.grants.map(({ role, namespace }) => (namespace === undefined ? role : `${role}@${namespace}`));
  return (
    <footer className={styles.line}>
      <span className={styles.state} data-state={state} role="status">
        {texts.connection[state]}
      </span>
      <span>svc {whoAmI.serverVersion}</span>
      <span className={styles.identity} title={grants.join(', ')}>
        {whoAmI.subject} ({grants.join(', ')})
      </span>
      {endsSoon && (
        <span className={styles.warning}>
          {accessTexts.endsSoon} <Time at={whoAmI.expiresAt} />
        </span>
      )}
      {pageFacts.readOnly && <span>{texts.readOnly}</span>}
      <span className={styles.space} />
      <IconButton label={texts.times} icon="clock" isPressed={timesAreAbsolute} onClick={switchTimes} />
      <IconButton label={texts.theme} icon="sun" onClick={() => void nextTheme()} />
      <Button kind="quiet" onClick={() => setShowsKeys(true)}>
        {texts.keys}
      </Button>
      {credential.kind !== 'none' && (
        <Button kind="quiet" onClick={signOut}>
          {texts.signOut}
        </Button>
      )}
      {showsKeys && (
        <Suspense>
          <KeyHelp onClose={() => setShowsKeys(false)} />
        </Suspense>
      )}
    </footer>
  );
};
