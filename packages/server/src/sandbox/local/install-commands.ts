const LOCAL = '$HOME/.local';

/**
 * Commands that install packages below the home of the sandbox. The system of a jail is that of the machine and read-only, so a
 * package of the operating system only can be there already; then its name is a command.
 */
export const installCommands = (packages: readonly string[]): readonly (readonly string[])[] => {
  const of = (source: string): readonly string[] =>
    packages.filter((name) => name.startsWith(`${source}:`)).map((name) => name.slice(source.length + 1));
  const shell = (script: string, values: readonly string[]): readonly (readonly string[])[] =>
    values.length === 0 ? [] : [['/bin/sh', '-c', script, 'sh', ...values]];
  return [
    ...shell(
      'for name; do command -v "$name" >/dev/null || { echo "$name is not installed on this machine: sandboxes of provider local cannot install packages of the operating system" >&2; exit 1; }; done',
      packages.filter((name) => !/^(pip|npm):/.test(name)),
    ),
    ...shell('exec python3 -m pip install --quiet --user --break-system-packages -- "$@"', of('pip')),
    ...shell(`exec npm install --silent --global --prefix "${LOCAL}" -- "$@"`, of('npm')),
  ];
};
