import { FORWARDER, FORWARDER_PORT, proxyVariables } from '../egress/index.ts';

/** Which kinds of namespaces the jail is made with: `closed` refuses further user namespaces inside, `plain` needs none itself. */
export type JailForm = 'closed' | 'user' | 'plain';

/** A folder of the machine that the jail sees. */
export interface JailMount {
  readonly source: string;
  readonly target: string;
  readonly isWritable: boolean;
}

export interface Jail {
  readonly form: JailForm;
  /** Paths of the system that exist, read-only in the jail; links as they are. */
  readonly system: readonly SystemPath[];
  readonly mounts: readonly JailMount[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `none`: an empty network namespace; `host`: that of the machine; else the socket of the proxy. */
  readonly network: 'none' | 'host' | { readonly socketPath: string };
  /** Limits of each process, for a machine without writable cgroups; `ulimit` commands. */
  readonly limits: readonly string[];
  readonly argv: readonly string[];
}

/** A path of the system; a link points to another one. */
export interface SystemPath {
  readonly path: string;
  readonly link?: string;
}

/** Where the jail has the program that runs JavaScript, and the socket of the proxy. */
export const JAIL_NODE = '/run/svc/node';
const JAIL_SOCKET = '/run/svc/egress';
const PATHS = '/run/svc:/usr/local/bin:/usr/bin:/bin';
/**
 * What of /proc, besides /proc/sys, root of the machine may write without any capability: svc may run as root, and then so do its
 * jails. Which of them exist depends on the kernel; bubblewrap itself covers /proc/irq, /proc/bus and /proc/sysrq-trigger.
 */
const ROOT_WRITABLE = ['/proc/acpi', '/proc/dynamic_debug', '/proc/mtrr', '/proc/pressure', '/proc/scsi'];
/** User and group that processes have inside. */
const JAIL_ID = '1000';

const FORM: Readonly<Record<JailForm, readonly string[]>> = {
  closed: ['--unshare-user', '--disable-userns', '--uid', JAIL_ID, '--gid', JAIL_ID],
  user: ['--unshare-user', '--uid', JAIL_ID, '--gid', JAIL_ID],
  plain: [],
};

const systemArguments = (system: readonly SystemPath[]): readonly string[] =>
  system.flatMap(({ path, link }) => (link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path]));

const mountArguments = (mounts: readonly JailMount[]): readonly string[] =>
  // A path within another one is mounted after it.
  [...mounts]
    .sort((a, b) => (a.target < b.target ? -1 : 1))
    .flatMap(({ source, target, isWritable }) => [isWritable ? '--bind' : '--ro-bind', source, target]);

const environmentArguments = (env: Jail['env']): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);

/** The command with what has to run before it inside the jail; the jail sees this, unlike the options. */
export const jailCommand = ({ argv, limits, network }: Jail): readonly string[] => {
  const forwarder = [JAIL_NODE, '-e', FORWARDER, '--', JAIL_SOCKET, String(FORWARDER_PORT)];
  const inner = typeof network === 'string' ? argv : [...forwarder, ...argv];
  return ['/bin/sh', '-c', [...limits, 'exec "$@"'].join('; '), 'sh', ...inner];
};

/**
 * Options of bubblewrap: own user, process, mount, IPC, host name, cgroup and network namespaces, a read-only system, own
 * /tmp and /dev, no capability, no new privileges (it always sets that), and the end of all processes when svc ends.
 */
export const jailOptions = (jail: Jail): readonly string[] => {
  const { form, network } = jail;
  const isProxied = typeof network !== 'string';
  return [
    ...FORM[form],
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network === 'host' ? [] : ['--unshare-net']),
    '--hostname',
    'sandbox',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    ...systemArguments(jail.system),
    '--proc',
    '/proc',
    '--ro-bind',
    '/proc/sys',
    '/proc/sys',
    ...ROOT_WRITABLE.flatMap((path) => ['--ro-bind-try', path, path]),
    '--dev',
    '/dev',
    ...mountArguments(jail.mounts),
    ...(isProxied ? ['--ro-bind', network.socketPath, JAIL_SOCKET] : []),
    // What is left is memory of the kernel that no limit counts.
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    jail.cwd,
    '--clearenv',
    ...environmentArguments({ PATH: PATHS, ...(isProxied ? proxyVariables() : {}), ...jail.env }),
  ];
};

/**
 * Program of `node -e` that finds out inside a jail whether it is one. Prints what is wrong, a line each, and then `ok`.
 */
export const SELF_CHECK = `
'use strict';
const fs = require('node:fs');
const wrong = [];
const status = fs.readFileSync('/proc/self/status', 'utf8');
const value = (name) => (new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status) ?? [])[1];
if (value('NoNewPrivs') !== '1') wrong.push('new privileges are possible');
for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
  if (!/^0+$/.test(value(set))) wrong.push('capabilities are left in ' + set);
if (process.pid > 9) wrong.push('the processes of the machine can be seen');
const links = fs.readFileSync('/proc/net/dev', 'utf8').trim().split('\\n').slice(2).map((line) => line.trim().split(':')[0]);
if (links.some((name) => name !== 'lo')) wrong.push('network devices can be seen');
const isWritable = (path) => { try { fs.accessSync(path, fs.constants.W_OK); return true; } catch { return false; } };
const walk = (folder, depth) => {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = folder + '/' + entry.name;
    if (folder === '/proc' && /^(\\d+|self|thread-self)$/.test(entry.name)) continue;
    if (entry.isFile() && isWritable(path)) wrong.push(path + ' can be written');
    if (entry.isDirectory() && depth > 0) { try { walk(path, depth - 1); } catch { continue; } }
  }
};
walk('/proc', 2);
for (const path of ['/', '/usr', '/etc', '/dev']) if (isWritable(path)) wrong.push(path + ' can be written');
console.log([...wrong.slice(0, 5), 'ok'].join('\\n'));
`;
