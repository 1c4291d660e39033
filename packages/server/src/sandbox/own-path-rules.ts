import type { SandboxPlan } from './contract.ts';

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
  '/tmp',
];

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Paths with a place of their own in a sandbox: writable ones outside of the workspace, and whatever is read-only. */
export const ownPaths = ({
  mountPath,
  writable,
  readonly,
}: Pick<SandboxPlan, 'mountPath' | 'writable' | 'readonly'>): readonly string[] => {
  const inherent = (path: string): boolean => isBelow(path, mountPath) || isBelow(path, '/tmp');
  const own = [...writable.filter((path) => !inherent(path)), ...readonly];
  // The root itself and what the sandbox is made of stay as they are: nothing of them can be written.
  const isSystem = (path: string): boolean => SYSTEM_ROOTS.some((root) => isBelow(path, root));
  return [...new Set(own)].filter((path) => path !== '/' && path !== mountPath && !isSystem(path));
};
