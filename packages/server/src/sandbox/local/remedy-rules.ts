/** What a machine says about itself, as far as a jail depends on it. */
export interface MachineFacts {
  readonly platform: string;
  /** Path of bwrap; undefined when it is not installed. */
  readonly bubblewrap: string | undefined;
  /** First lines of the settings of the kernel, by path; absent = there is none. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly isContainer: boolean;
}

export const KERNEL_SETTINGS = [
  '/proc/sys/kernel/unprivileged_userns_clone',
  '/proc/sys/user/max_user_namespaces',
  '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
] as const;

const INSTALL =
  'install bubblewrap: "apt-get install bubblewrap" on Debian and Ubuntu, "dnf install bubblewrap" on Fedora, "apk add bubblewrap" on Alpine';

/** Why no jail can be tried on the machine at all, with the remedy; '' when one can. */
export const missingPart = ({ platform, bubblewrap }: MachineFacts): string => {
  if (platform !== 'linux')
    return `provider local needs Linux, this is ${platform}: use a SandboxClass with provider docker`;
  return bubblewrap === undefined ? `bubblewrap is not installed: ${INSTALL}` : '';
};

/** Names the remedy for a jail that failed, by what bubblewrap wrote and what the machine says. */
export const failureRemedy = (complaint: string, { settings, isContainer }: MachineFacts): string => {
  const [clone, most, apparmor] = KERNEL_SETTINGS.map((path) => settings[path]);
  const inContainer = 'start the container of svc with';
  if (/mount proc/i.test(complaint) && isContainer)
    return `the container hides parts of /proc: ${inContainer} "--security-opt systempaths=unconfined"`;
  if (clone === '0')
    return 'the kernel allows no user namespaces without root: run "sysctl -w kernel.unprivileged_userns_clone=1"';
  if (most === '0') return 'the kernel allows no user namespaces: run "sysctl -w user.max_user_namespaces=15000"';
  if (isContainer)
    return `the container forbids new namespaces: ${inContainer} "--security-opt seccomp=unconfined --security-opt apparmor=unconfined", or also with "--cap-add SYS_ADMIN" where it runs as root`;
  if (apparmor === '1')
    return 'AppArmor allows no user namespaces: run "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0", or install an AppArmor profile for bwrap that has "userns,"';
  return 'update bubblewrap and the kernel, or use a SandboxClass with provider docker';
};

/** What a report says of limits that no cgroup enforces. The kernel lets root start any number of processes. */
export const rlimitsNote = (isRoot: boolean): string => {
  const missing = isRoot ? 'do not limit processors, nor how many processes there are' : 'do not limit processors';
  return `limits by rlimits, which count each process by itself and ${missing}: no cgroup is writable (run svc as a systemd service with "Delegate=yes", or its container with "--cgroupns private" and a writable /sys/fs/cgroup)`;
};
