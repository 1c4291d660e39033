import { useEffect, useState } from 'react';
import { useClient } from '../../access/access-context.ts';
import { isFinal } from '../../live/is-final.ts';
import { pauseFor } from '../../live/pause-for.ts';
import { type KeptLine, LogBuffer } from './log-buffer.ts';

const WAIT_MS = 2_000;
/** Lines of this time are shown together. */
const GATHER_MS = 100;

/** The log of the server as long as the page is shown; `error` is set where it cannot be read. */
export const useLog = (): { readonly buffer: LogBuffer; readonly error: Error | undefined } => {
  const client = useClient();
  const [buffer] = useState(() => new LogBuffer());
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let after = '';
    let gathered: KeptLine[] = [];
    const timer = setInterval(() => {
      if (gathered.length === 0) return;
      buffer.push(gathered);
      gathered = [];
    }, GATHER_MS);
    /** Answers an error that another try does not mend. */
    const readOnce = async (): Promise<Error | undefined> => {
      try {
        for await (const { id, timestamp, level, message, fieldsJson } of client.admin.streamLogs(
          { after },
          { signal },
        )) {
          after = id;
          gathered.push({ id, timestamp, level, message, fieldsJson });
        }
        return undefined;
      } catch (thrown) {
        // The bottom of the page shows a lost connection, and the next try continues behind the last line.
        return isFinal(thrown) ? thrown : undefined;
      }
    };
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        const found = await readOnce();
        if (found !== undefined) return setError(found);
        await pauseFor(WAIT_MS, signal);
      }
    };
    void follow();
    return () => {
      clearInterval(timer);
      stop.abort();
      buffer.clear();
    };
  }, [client, buffer]);
  return { buffer, error };
};
