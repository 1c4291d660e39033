const LOCAL = '$HOME/.local';

/**
 * Commands that install packages below the home of the sandbox. Its system is read-only, so a package of the operating system only can be
 * there already; then its name is a command. `missing` says why one that is not there cannot be installed.
 */
export const installCommands = (packages: readonly string[], missing: string): readonly (readonly string[])[] => {
  const of = (source: string): readonly string[] =>
    packages.filter((name) => name.startsWith(`${source}:`)).map((name) => name.slice(source.length + 1));
  const shell = (script: string, values: readonly string[]): readonly (readonly string[])[] =>
    values.length === 0 ? [] : [['/bin/sh', '-c', script, 'sh', ...values]];
  const named = packages.filter((name) => !/^(pip|npm):/.test(name));
  return [
    ...shell(
      'why=$1; shift; for name; do command -v "$name" >/dev/null || { echo "$name $why" >&2; exit 1; }; done',
      named.length === 0 ? [] : [missing, ...named],
    ),
    ...shell('exec python3 -m pip install --quiet --user --break-system-packages -- "$@"', of('pip')),
    ...shell(`exec npm install --silent --global --prefix "${LOCAL}" -- "$@"`, of('npm')),
  ];
};
