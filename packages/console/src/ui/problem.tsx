import { isSvcError } from '@svc/client';
import type { ReactElement } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import styles from './states.module.css';

interface ProblemProps {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
}

const ADVICE: Readonly<Record<string, string>> = {
  UNAVAILABLE: 'The server cannot be reached. The page keeps trying; nothing that you wrote is lost.',
  PERMISSION_DENIED: 'Your grants do not cover this. Someone with the role admin here can give you one.',
  UNAUTHENTICATED: 'Sign in again.',
  NOT_FOUND: 'It may have been deleted or renamed, or the address has a mistake.',
  ABORTED: 'Someone else changed it meanwhile. Load it again and repeat the change.',
  RESOURCE_EXHAUSTED: 'A limit is reached. Try again later, or see Usage for the limits.',
  DEADLINE_EXCEEDED: 'The server took too long to answer. The change may have happened: look before you repeat it.',
};

/** An error in the place where it belongs: what happened, in which field, what to do, and how to find it in the server's log. */
export const Problem = ({ error, onRetry }: ProblemProps): ReactElement => {
  const known = isSvcError(error) ? error : undefined;
  const advice = known && ADVICE[known.code];
  return (
    <div className={styles.problem} role="alert">
      <Icon name="warning" size={18} />
      <div>
        <p className={styles.message}>{error.message}</p>
        {known && known.violations.length > 0 && (
          <ul>
            {known.violations.map(({ field, description }) => (
              <li key={`${field} ${description}`}>
                <code>{field}</code> {description}
              </li>
            ))}
          </ul>
        )}
        {advice && <p>{advice}</p>}
        {known && (
          <p className={styles.trace}>
            {[known.code, known.reason].filter(Boolean).join(' / ')}
            {known.requestId && `, request ${known.requestId}`}
          </p>
        )}
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
      </div>
    </div>
  );
};
