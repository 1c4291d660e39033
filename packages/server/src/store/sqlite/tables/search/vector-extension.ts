import { DatabaseSync } from 'node:sqlite';
import { errorText, type Log } from '../../../../base/index.ts';

/** File of the extension that compares vectors; undefined, with a word in the log, where it cannot be loaded on this machine. */
export const findVectorExtension = async (log: Log): Promise<string | undefined> => {
  const probe = new DatabaseSync(':memory:', { allowExtension: true });
  try {
    const { getLoadablePath } = await import('sqlite-vec');
    const file = getLoadablePath();
    probe.loadExtension(file);
    return file;
  } catch (error) {
    log.warn('vectors cannot be compared on this machine: searches go by words', { reason: errorText(error) });
    return undefined;
  } finally {
    probe.close();
  }
};
