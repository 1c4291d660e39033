const AT_OR_BELOW = [
  'bin',
  'boot',
  'dev',
  'etc',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'proc',
  'root',
  'run',
  'sbin',
  'sys',
  'usr',
  'var',
];
const EXACTLY = ['home', 'tmp', 'opt', 'mnt', 'media', 'srv'];
const LENGTH_MAX = 1_024;

/** True for an absolute path without empty, `.` or `..` segments and without control characters. */
export const isNormalPath = (path: string): boolean => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (path.length > LENGTH_MAX || !path.startsWith('/') || /[\u0000-\u001f\u007f\\]/.test(path)) return false;
  if (path === '/') return true;
  return path
    .slice(1)
    .split('/')
    .every((segment) => segment !== '' && segment !== '.' && segment !== '..');
};

/** Why a workspace must not be mounted there, '' when it may. '' itself stands for the default and may. */
export const mountPathProblem = (path: string): string => {
  if (path === '') return '';
  if (!isNormalPath(path)) return 'must be an absolute path without empty, "." or ".." segments';
  const [first = '', ...rest] = path.slice(1).split('/');
  const isSystem = AT_OR_BELOW.includes(first) || (rest.length === 0 && (first === '' || EXACTLY.includes(first)));
  return isSystem ? 'is a root or system mount point' : '';
};
