import { type ReactElement, useState } from 'react';
import { useAccess } from '../../access/access-context.ts';
import { useKey } from '../../keys/use-keys.ts';
import { useLiveState } from '../../live/live-context.ts';
import { pageFacts } from '../../page-facts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { nextTheme } from '../../ui/theme.ts';
import { switchTimes } from '../../ui/time.tsx';
import { texts } from '../texts.ts';
import { KeyHelp } from './key-help.tsx';
import styles from './status-line.module.css';

/** Connection, version, and who the person is. */
export const StatusLine = (): ReactElement => {
  const { whoAmI, credential, signOut } = useAccess();
  const state = useLiveState();
  const [showsKeys, setShowsKeys] = useState(false);
  useKey({ keys: '?', does: texts.keys, run: () => setShowsKeys(true) });
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
      {pageFacts.readOnly && <span>{texts.readOnly}</span>}
      <span className={styles.space} />
      <IconButton label={texts.times} icon="clock" onClick={switchTimes} />
      <IconButton label={texts.theme} icon="sun" onClick={() => void nextTheme()} />
      <Button kind="quiet" onClick={() => setShowsKeys(true)}>
        {texts.keys}
      </Button>
      {credential.kind !== 'none' && (
        <Button kind="quiet" onClick={signOut}>
          {texts.signOut}
        </Button>
      )}
      {showsKeys && <KeyHelp onClose={() => setShowsKeys(false)} />}
    </footer>
  );
};
