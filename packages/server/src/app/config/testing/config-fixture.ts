import type { Settings } from '../keys/index.ts';
import { ConfigError, type LoadedConfig, type LoadOptions, loadConfig } from '../load-config.ts';

/** A world of files and variables in memory; paths are absolute, the working directory is /work. */
export interface World {
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly flags?: LoadOptions['flags'];
  readonly isTerminal?: boolean;
  readonly memoryBytes?: number;
  readonly openFiles?: number;
}

export const load = (world: World = {}): LoadedConfig =>
  loadConfig({
    flags: world.flags ?? {},
    environment: world.environment ?? {},
    cwd: '/work',
    readFile: (path) => world.files?.[path],
    host: {
      memoryBytes: world.memoryBytes ?? 128 * 1024 * 4096,
      openFiles: world.openFiles,
      isTerminal: world.isTerminal ?? false,
    },
  });

/** Settings of a world whose file is /work/svc.yaml. */
export const settingsOf = (yaml: string, world: World = {}): Settings =>
  load({ ...world, files: { '/work/svc.yaml': yaml, ...world.files } }).config.settings;

/** The fault lines of a world that is refused. */
export const faultsOf = (world: World): readonly string[] => {
  try {
    load(world);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
};
