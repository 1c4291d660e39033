import type { AuthConfig } from './mode-authenticator.ts';

/** A configured combination that must not start; `key` is the configuration key. */
export interface AuthFault {
  readonly key: string;
  readonly text: string;
  readonly reason: 'AUTH_REQUIRED' | 'SECRET_MISSING' | 'SECRET_WEAK';
}

const SECRET_MIN = 16;
const WELL_KNOWN: ReadonlySet<string> = new Set([
  'changemechangeme',
  'change-me-change-me',
  'passwordpassword',
  'secretsecretsecret',
  '0123456789abcdef',
  '1234567890123456',
  'aaaaaaaaaaaaaaaa',
  'your-secret-key-here',
  'your-256-bit-secret',
]);

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '::1', '[::1]', '0:0:0:0:0:0:0:1']);

/** True for hosts that only this machine can reach: 127.0.0.0/8, ::1, localhost and names below it. */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.toLowerCase().replace(/\.$/, '');
  return LOOPBACK_NAMES.has(name) || name.endsWith('.localhost') || /^127(?:\.\d{1,3}){3}$/.test(name);
};

/** Everything that refuses a start: mode none beyond loopback or beside another mode, missing or weak secrets (PL-12). */
export const authStartFaults = (config: AuthConfig, listenHost: string): readonly AuthFault[] => {
  const { modes } = config;
  const faults: AuthFault[] = [];
  const required = (text: string): void => {
    faults.push({ key: 'auth.mode', text, reason: 'AUTH_REQUIRED' });
  };
  if (modes.length === 0) required('at least one mode is required');
  if (modes.includes('none') && modes.length > 1) required('none excludes every other mode');
  if (modes.includes('none') && !isLoopbackHost(listenHost))
    required(`none is only for loopback addresses, not ${listenHost}`);
  if (modes.includes('token')) faults.push(...judgeSecret('auth.token', config.token));
  if (modes.includes('password')) faults.push(...judgeSecret('auth.password', config.password));
  if (modes.includes('jwt')) faults.push(...judgeSecret('auth.jwt.secret', config.jwt?.secret));
  return faults;
};

const judgeSecret = (key: string, secret: string | undefined): readonly AuthFault[] => {
  if (secret === undefined || secret === '')
    return [{ key, text: 'is required by auth.mode', reason: 'SECRET_MISSING' }];
  const isKnown = WELL_KNOWN.has(secret.toLowerCase()) || new Set(secret).size === 1;
  if (secret.length >= SECRET_MIN && !isKnown) return [];
  return [
    { key, text: `must be a secret of at least ${SECRET_MIN} characters that nobody knows`, reason: 'SECRET_WEAK' },
  ];
};
