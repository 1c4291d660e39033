import { type FormEvent, type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { useClient } from '../../../access/access-context.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { texts } from '../texts.ts';
import { lineAt, moved, NO_HISTORY, withLine } from './command-history.ts';
import { type Ran, RanView } from './ran-view.tsx';
import styles from './terminal.module.css';

const COMMAND_MS = 60_000;
/** The answer is on its way when the command may run no longer. */
const ANSWER_MS = 15_000;
/** Older commands leave the screen. */
const SHOWN = 50;

interface TerminalProps {
  readonly ns: string;
  readonly name: string;
}

/** Runs one command at a time in a sandbox. What was run goes with the panel; a command that runs ends with it. */
export const Terminal = ({ ns, name }: TerminalProps): ReactElement => {
  const client = useClient();
  const [line, setLine] = useState('');
  const [history, setHistory] = useState(NO_HISTORY);
  const [ran, setRan] = useState<readonly Ran[]>([]);
  const running = useRef<AbortController>(undefined);
  const output = useRef<HTMLDivElement>(null);
  const [isRunning, setRunning] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  // The newest output is what the person waits for.
  useEffect(() => {
    if (ran.length > 0) output.current?.scrollTo({ top: output.current.scrollHeight });
  }, [ran]);

  const run = async (command: string): Promise<void> => {
    const stop = new AbortController();
    running.current = stop;
    const id = (ran.at(-1)?.id ?? 0) + 1;
    const settle = (outcome: Partial<Ran>): void =>
      setRan((before) => before.map((one) => (one.id === id ? { ...one, ...outcome } : one)));
    setHistory((before) => withLine(before, command));
    setRan((before) => [...before, { id, line: command }].slice(-SHOWN));
    setLine('');
    setRunning(true);
    try {
      const options = { signal: stop.signal, timeoutMs: COMMAND_MS + ANSWER_MS };
      settle({ ended: await client.sandboxes.execSandbox({ ns, name, command, timeLimitMs: COMMAND_MS }, options) });
    } catch (error) {
      settle({ error: stop.signal.aborted ? new Error(texts.stopped) : (error as Error) });
    } finally {
      setRunning(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (line.trim() !== '' && !isRunning) void run(line);
  };
  const look = (event: KeyboardEvent): void => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    if (step === undefined) return;
    event.preventDefault();
    const next = moved(history, step, line);
    setHistory(next);
    setLine(lineAt(next));
  };
  return (
    <div className={styles.terminal}>
      <p>{texts.terminalHint}</p>
      {ran.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <div ref={output} className={styles.output} role="log" aria-label={texts.output} tabIndex={0}>
          {ran.map((one) => (
            <RanView key={one.id} ran={one} />
          ))}
        </div>
      )}
      <form className={styles.prompt} onSubmit={submit} onKeyDown={look}>
        <TextField label={texts.command} value={line} onChange={setLine} placeholder="ls -l" />
        {isRunning ? (
          <Button onClick={() => running.current?.abort()}>{texts.stop}</Button>
        ) : (
          <Button kind="primary" type="submit" disabled={line.trim() === ''} disabledReason={texts.noCommand}>
            {texts.run}
          </Button>
        )}
      </form>
    </div>
  );
};
