import type { SandboxPlan } from './contract.ts';

const TMP = '/tmp';
const SYSTEM_ROOTS: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/proc',
  '/dev',
  '/run',
  '/sys',
];

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

type Paths = Pick<SandboxPlan, 'mountPath' | 'writable' | 'readonly'>;

/** The folders above a path, without the root. */
const above = (path: string): readonly string[] => {
  const names = path.split('/').slice(1, -1);
  return names.map((_name, index) => `/${names.slice(0, index + 1).join('/')}`);
};

/** Paths that are given as writable outside of the workspace, or as read-only. */
const givenPaths = ({ mountPath, writable, readonly }: Paths): readonly string[] => {
  const inherent = (path: string): boolean => isBelow(path, mountPath) || isBelow(path, TMP);
  const own = [...writable.filter((path) => !inherent(path)), ...readonly];
  // The root itself and what the sandbox is made of stay as they are: nothing of them can be written.
  const isSystem = (path: string): boolean => SYSTEM_ROOTS.some((root) => isBelow(path, root));
  return own.filter((path) => !['/', TMP, mountPath].includes(path) && !isSystem(path));
};

/**
 * Paths with a place of their own in a sandbox: those that are given, and the folders between one of them and the place that it lies in. A
 * place cannot be renamed. A folder above one could be, and a link in its stead would lead the program that makes the
 * next sandbox to files of the machine.
 */
export const ownPaths = (plan: Paths): readonly string[] => {
  const { mountPath } = plan;
  const given = givenPaths(plan);
  const places = [mountPath, TMP, ...given];
  const isWithin = (path: string): boolean => places.some((place) => path !== place && isBelow(path, place));
  const between = [mountPath, ...given].flatMap(above).filter(isWithin);
  return [...new Set([...given, ...between])].filter((path) => path !== mountPath);
};

/** Whether only the setup may write an own path: it is read-only, or a folder within one that is. */
export const isFixedPath = ({ writable, readonly }: Paths, path: string): boolean =>
  readonly.includes(path) || (!writable.includes(path) && readonly.some((fixed) => isBelow(path, fixed)));
