import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { KeyFiles } from '../../features/platform/backups/index.ts';

/** The keys that encrypt stored secrets, and those that sign tokens. */
const NAMES = ['master.json', 'tokens.json'];

/** The key files of a data directory. Fault NOT_FOUND KEY_FILE when there are none. */
export const readKeyFiles = async (dataDir: string): Promise<KeyFiles> => {
  const folder = join(dataDir, 'keys');
  const present = (await readdir(folder).catch(() => [])).filter((name) => NAMES.includes(name)).sort();
  if (present.length === 0) throw new Fault('NOT_FOUND', 'KEY_FILE', `there are no keys in ${folder}`);
  return Object.fromEntries(
    await Promise.all(present.map(async (name) => [name, await readFile(join(folder, name))] as const)),
  );
};

/** Writes key files into a new folder, readable by their owner only. They are on disk when this resolves. */
export const writeKeyFiles = async (folder: string, files: KeyFiles): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, bytes] of Object.entries(files)) {
    const file = await open(join(folder, name), 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }
};
