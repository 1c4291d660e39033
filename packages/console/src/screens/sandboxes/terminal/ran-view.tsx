import type { ExecSandboxResponse } from '@svc/api/gateway';
import type { ReactElement } from 'react';
import { Problem } from '../../../ui/problem.tsx';
import { texts } from '../texts.ts';
import styles from './terminal.module.css';

/** A command that was run, and what became of it. */
export interface Ran {
  readonly id: number;
  readonly line: string;
  /** Absent while it runs, and where it could not be run. */
  readonly ended?: ExecSandboxResponse;
  readonly error?: Error;
}

/** How a command ended, in words; '' for success. */
const endText = ({ exitCode, endedBy }: ExecSandboxResponse): string => {
  if (endedBy !== 'exit') return texts.ends[endedBy as keyof typeof texts.ends] ?? endedBy;
  return exitCode === 0 ? '' : `${texts.exitCode} ${exitCode}`;
};

/** One command with its output, as text whatever it holds. */
export const RanView = ({ ran }: { readonly ran: Ran }): ReactElement => {
  const { line, ended, error } = ran;
  const end = ended === undefined ? '' : endText(ended);
  return (
    <div className={styles.ran}>
      <code className={styles.line}>$ {line}</code>
      {ended === undefined && error === undefined && <span role="status">{texts.running}</span>}
      {ended !== undefined && ended.stdout !== '' && <pre>{ended.stdout}</pre>}
      {ended !== undefined && ended.stderr !== '' && <pre className={styles.errors}>{ended.stderr}</pre>}
      {ended?.outputCut === true && <small>{texts.outputCut}</small>}
      {end !== '' && <small className={styles.end}>{end}</small>}
      {error !== undefined && <Problem error={error} />}
    </div>
  );
};
