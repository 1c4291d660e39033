import { join } from 'node:path';
import { userDirectory } from './profiles.ts';
import type { World } from './world.ts';

/** The configuration that `svc up` keeps in a data directory. */
export const configInside = (dataDir: string): string => join(dataDir, 'svc.yaml');

/** True when the person has a configuration where servers look by themselves; that one then counts. */
export const hasOwnConfig = (world: World): boolean => {
  const { environment, cwd, files } = world;
  if ((environment['SVC_CONFIG'] ?? '') !== '' || (environment['SVC_CONFIG_INLINE'] ?? '') !== '') return true;
  const here = ['svc.yaml', 'svc.yml', 'svc.json'].map((name) => join(cwd, name));
  const places = [...here, join(userDirectory(world, 'config'), 'svc.yaml'), '/etc/svc/svc.yaml'];
  return places.some((path) => files.facts(path) !== undefined);
};

/** What `--config` stands for when it is left out: the file of `svc up` if it is the one in force. */
export const configInForce = (world: World): string | undefined => {
  const path = configInside(userDirectory(world, 'data'));
  return !hasOwnConfig(world) && world.files.facts(path) !== undefined ? path : undefined;
};
