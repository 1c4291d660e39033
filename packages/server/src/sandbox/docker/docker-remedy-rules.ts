/** Why an engine could not be asked at all, with the remedy, by the code of the system's error. */
export const connectionProblem = (code: string, socket: string): string => {
  switch (code) {
    case 'ENOENT':
      return `there is no Docker engine at ${socket}: install Docker and start it ("systemctl start docker"), or set sandbox.providers.docker.sockets; in a container start it with "-v ${socket}:${socket}"`;
    case 'EACCES':
    case 'EPERM':
      return `svc may not use ${socket}: add its user to the group of the socket ("usermod -aG docker USER") and restart it, in a container with "--group-add"`;
    case 'ECONNREFUSED':
      return `no Docker engine listens at ${socket}: start it ("systemctl start docker")`;
    default:
      return `the connection to the Docker engine at ${socket} broke (${code}): see the log of the engine`;
  }
};

/** Why there is no image, with the remedy; `reason` is what the engine said to a pull, '' when the class allows none. */
export const imageProblem = (image: string, reason: string): string =>
  reason === ''
    ? `the engine has no image ${image} and the class says pull: never: run "docker pull ${image}" there`
    : `image ${image} could not be pulled (${reason}): run "docker pull ${image}" on the machine of the engine, or name another image`;

/** What is known of an engine, as `/info` and `/version` say it. */
export interface EngineFacts {
  readonly version: string;
  readonly system: string;
  readonly cgroupVersion: string;
  readonly isRootless: boolean;
  readonly limits: { readonly memory: boolean; readonly processors: boolean; readonly processes: boolean };
}

/** Why an engine cannot run sandboxes, '' when it can. */
export const engineProblem = ({ system }: EngineFacts): string =>
  system === 'linux' ? '' : `the engine runs containers of ${system}: sandboxes need those of linux`;

/** What works with an engine, and who enforces the limits. */
export const engineNote = ({ version, cgroupVersion, isRootless, limits }: EngineFacts): string => {
  const missing = Object.entries(limits).flatMap(([name, isEnforced]) => (isEnforced ? [] : [name]));
  const held = `limits of each command by cgroup v${cgroupVersion} of the engine; the disk is counted`;
  const lacking =
    missing.length === 0
      ? ''
      : `, but this engine does not limit ${missing.join(', ')}: give it these cgroup controllers${isRootless ? ' ("Delegate=yes" for the user of a rootless engine)' : ''}`;
  return `Docker ${version}${isRootless ? ' (rootless)' : ''}; ${held}${lacking}`;
};
