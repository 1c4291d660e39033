import { join } from 'node:path';
import type { Host } from './host.ts';
import { userDirectory } from './profiles.ts';

/** The configuration file that `svc up` keeps in a data directory. */
export const configInside = (dataDir: string): string => join(dataDir, 'svc.yaml');

/** True when there is a configuration where servers search by default; it is used then. */
export const hasOwnConfig = (host: Host): boolean => {
  const { environment, cwd, files } = host;
  if ((environment['SVC_CONFIG'] ?? '') !== '' || (environment['SVC_CONFIG_INLINE'] ?? '') !== '') return true;
  const here = ['svc.yaml', 'svc.yml', 'svc.json'].map((name) => join(cwd, name));
  const places = [...here, join(userDirectory(host, 'config'), 'svc.yaml'), '/etc/svc/svc.yaml'];
  return places.some((path) => files.facts(path) !== undefined);
};

/** The default of `--config`: the file of `svc up` if it is in effect. */
export const configInForce = (host: Host): string | undefined => {
  const path = configInside(userDirectory(host, 'data'));
  return !hasOwnConfig(host) && host.files.facts(path) !== undefined ? path : undefined;
};
