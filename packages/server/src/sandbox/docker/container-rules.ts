import { createHash } from 'node:crypto';
import type { SandboxPlan } from '../contract.ts';
import { FORWARDER, FORWARDER_PORT, PYTHON_FORWARDER, proxyVariables } from '../egress/index.ts';
import { isFixedPath, ownPaths } from '../own-path-rules.ts';

/** How containers and volumes say whose they are. */
export const LABELS = {
  /** The instance of svc that made it. */
  instance: 'svc.instance',
  /** Id of the backend. */
  sandbox: 'svc.sandbox',
  /** Name of a volume that outlives backends. */
  volume: 'svc.volume',
  /** The process that runs the command of a container. */
  holder: 'svc.holder',
  /** When a container is certainly left over: Unix seconds. */
  until: 'svc.until',
} as const;

/** User and group of the processes in a container. */
const SANDBOX_USER = '1000:1000';
const SOCKET = '/run/svc/egress';
const HASH_CHARS = 16;
const CPU_UNITS = 1_000_000_000;

/** Names become parts of paths and addresses, so nothing else may be one. */
const checked = (name: string): string => {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/.test(name)) throw new Error('not the name of a sandbox or volume');
  return name;
};

/** Name of the volume whose presence means that a backend is whole. */
export const markerName = (instance: string, id: string): string => `svc-${instance}.${checked(id)}`;

/** Name of a volume that outlives backends. */
export const volumeName = (instance: string, volume: string): string => `svc-${instance}.volume.${checked(volume)}`;

/** One volume of a backend, and where its processes see it. */
export interface BackendVolume {
  readonly name: string;
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Only the setup may write it. */
  readonly isFixed: boolean;
}

/** The volumes of a backend: nothing else of a container can be written, so they are all that passes from one command to the next. */
export const backendVolumes = (instance: string, plan: SandboxPlan): readonly BackendVolume[] => {
  const marker = markerName(instance, plan.id);
  const own = { [LABELS.instance]: instance, [LABELS.sandbox]: plan.id };
  const kept = { [LABELS.instance]: instance, [LABELS.volume]: plan.volume };
  const workspace =
    plan.volume === ''
      ? { name: `${marker}.workspace`, labels: own }
      : { name: volumeName(instance, plan.volume), labels: kept };
  const hashed = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, HASH_CHARS);
  return [
    { ...workspace, target: plan.mountPath, isFixed: false },
    { name: `${marker}.tmp`, labels: own, target: '/tmp', isFixed: false },
    ...ownPaths(plan).map((target) => ({
      name: `${marker}.path-${hashed(target)}`,
      labels: own,
      target,
      isFixed: isFixedPath(plan, target),
    })),
  ];
};

/** A command and what it runs with. */
export interface ContainerRun {
  readonly image: string;
  readonly argv: readonly string[];
  /** '' = the mount path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isSetup: boolean;
  /** Path of the proxy's socket on the machine of the engine, or no network, or that of the machine. */
  readonly network: 'none' | 'host' | { readonly socketPath: string };
  readonly labels: Readonly<Record<string, string>>;
}

/** Goes to the folder of a command and becomes it; programs that the setup installed are found first. */
const ENTER = 'cd -- "$1" || exit 125; shift; PATH="$HOME/.local/bin:$PATH"; export PATH';
const DIRECT = `${ENTER}; exec "$@"`;
/** The same, behind the program that leads from the loopback interface to the proxy. */
const FORWARDED = `${ENTER}; js=$1 py=$2; shift 2
if command -v node >/dev/null 2>&1; then exec node -e "$js" -- ${SOCKET} ${FORWARDER_PORT} "$@"; fi
if command -v python3 >/dev/null 2>&1; then exec python3 -c "$py" ${SOCKET} ${FORWARDER_PORT} "$@"; fi
echo 'the image of the sandbox has neither node nor python3, one of which has to lead to the allowed hosts' >&2; exit 125`;

const commandOf = ({ argv, network }: ContainerRun, cwd: string): readonly string[] =>
  typeof network === 'string'
    ? ['-c', DIRECT, 'sh', cwd, ...argv]
    : ['-c', FORWARDED, 'sh', cwd, FORWARDER, PYTHON_FORWARDER, ...argv];

const mountsOf = (volumes: readonly BackendVolume[], { isSetup, network }: ContainerRun) => [
  ...volumes.map(({ name, target, labels, isFixed }) => ({
    Type: 'volume' as const,
    Source: name,
    Target: target,
    ReadOnly: isFixed && !isSetup,
    // Named again, so that one that the engine makes here because it vanished is found as left over.
    VolumeOptions: { NoCopy: true, Labels: { ...labels }, DriverConfig: { Name: 'local', Options: {} } },
  })),
  ...(typeof network === 'string'
    ? []
    : [{ Type: 'bind' as const, Source: network.socketPath, Target: SOCKET, ReadOnly: true }]),
];

/**
 * The container of one command: a user without rights, no capability and no way to new ones, a read-only root, namespaces of its own,
 * no network unless it is that of the machine, and limits. Its first process is a small init, with which all others end. Nothing of the
 * output is kept by the engine.
 */
export const containerBody = (plan: SandboxPlan, volumes: readonly BackendVolume[], run: ContainerRun) => {
  const { limits, mountPath } = plan;
  const env = {
    HOME: mountPath,
    USER: 'sandbox',
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    NODE_PATH: `${mountPath}/.local/lib/node_modules`,
    ...(typeof run.network === 'string' ? {} : proxyVariables()),
    ...plan.env,
    ...run.env,
  };
  return {
    Image: run.image,
    User: SANDBOX_USER,
    Hostname: 'sandbox',
    WorkingDir: '/',
    Entrypoint: ['/bin/sh'],
    Cmd: [...commandOf(run, run.cwd === '' ? mountPath : run.cwd)],
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...run.labels },
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: run.network === 'host' ? 'host' : 'none',
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      Privileged: false,
      ReadonlyRootfs: true,
      Init: true,
      IpcMode: 'private',
      CgroupnsMode: 'private' as const,
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'none', Config: {} },
      NanoCpus: Math.round(limits.cpu * CPU_UNITS),
      Memory: limits.memoryBytes,
      // Memory and swap together: no swap.
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.pids,
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'fsize', Soft: limits.diskBytes, Hard: limits.diskBytes },
      ],
      Mounts: mountsOf(volumes, run),
    },
  };
};

/** Container of a command, as the engine takes it. */
export type ContainerBody = ReturnType<typeof containerBody>;

/**
 * The container that opens new volumes to the user of the sandbox: an engine makes them for root. It is root without any capability,
 * which may do just that with its own folders, and it runs nothing else.
 */
export const openingBody = (body: ContainerBody, volumes: readonly BackendVolume[]): ContainerBody => ({
  ...body,
  User: '0:0',
  Cmd: ['-c', 'exec chmod 0777 "$@"', 'sh', ...volumes.map(({ target }) => target)],
});

/** Shell program that finds out inside of a container whether it is a sandbox. Prints what is wrong, a line each, and then `ok`. */
export const SELF_CHECK = `
while read -r name value rest; do
  case $name in
    Uid:) [ "$value" != 0 ] || echo 'its processes run as root' ;;
    NoNewPrivs:) [ "$value" = 1 ] || echo 'new privileges are possible' ;;
    CapPrm:|CapEff:|CapBnd:|CapAmb:) case $value in *[!0]*) echo "capabilities are left in $name" ;; esac ;;
  esac
done < /proc/self/status
while read -r device target type options rest; do
  [ "$target" = / ] || continue
  case $options in ro|ro,*) root=ro ;; *) root=rw ;; esac
done < /proc/mounts
[ "$root" = ro ] || echo 'its root can be written'
[ -e /var/run/docker.sock ] && echo 'it has the socket of the engine'
for folder; do [ -w "$folder" ] || echo "$folder cannot be written"; done
echo ok
`;
