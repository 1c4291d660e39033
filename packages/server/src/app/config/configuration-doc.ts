import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { environmentName, type KeyRow, keyRows, pendingKeys } from './keys/index.ts';

const titles: Readonly<Record<string, string>> = {
  dataDir: 'Data directory',
  server: 'Server',
  cors: 'Browsers of other origins',
  console: 'Web console',
  auth: 'Signing in',
  store: 'Database',
  bus: 'Events between nodes',
  objects: 'Object bytes',
  secrets: 'Secrets',
  backup: 'Backups',
  worker: 'Workers',
  limits: 'Limits',
  runtime: 'Turns',
  models: 'Models',
  telemetry: 'Logs and traces',
};

const pendingText = (): string =>
  Object.entries(pendingKeys)
    .map(([part, keys]) => `${part} (${keys.map((key) => `\`${key}\``).join(', ')})`)
    .join('; ');

const introduction = `# Configuration

Everything has a default, so a server runs without any configuration. Write what you want to change into a file:

\`\`\`yaml
# svc.yaml
server: { listen: 0.0.0.0:7420 }
auth: { mode: [token], token: { env: SVC_TOKEN } }
\`\`\`

svc uses the first file that exists of: \`--config\`, \`SVC_CONFIG\`, \`SVC_CONFIG_INLINE\` (the text itself), \`./svc.yaml\`, \`./svc.yml\`,
\`./svc.json\`, \`$XDG_CONFIG_HOME/svc/svc.yaml\`, \`/etc/svc/svc.yaml\`. A flag wins over an environment variable, and a variable over the
file. With \`extends: other.yaml\` a file overrides settings of another one.

* \`svc config check\` lists every error with its line; \`svc config show\` lists every value with its source.
* Durations are written as \`10s\`, \`5m\`, \`1h30m\`, \`7d\`; a plain number counts in the unit of the key's name, else in seconds.
* Sizes are written as \`4MiB\`, or as a number of bytes.
* In a variable, lists are separated by commas, and maps are JSON.
* Texts may contain \`\${NAME}\` and \`\${NAME:-default}\`; write \`$\${\` for a literal \`\${\`. An unset name without a default is an error.
* Secrets may be \`{env: NAME}\` or \`{file: path}\`. Relative paths start at the directory of the file that contains them.
* Changes take effect at a restart, except \`telemetry.logLevel\` and the files of \`server.tls\`, which are also read again on SIGHUP; if that
  fails, the log says so and the old values stay. An \`svc up\` in a terminal ends on SIGHUP, because the terminal is gone.
* A setting without effect is reported as a warning at the start, by \`svc config check\` and by \`svc doctor\`: keys of parts that are not
  built yet (listed below), roles that leave one out (every process does everything), keys of PostgreSQL with SQLite, and \`auth.jwt\` or
  \`auth.jwks\` with other modes.
* Keys of parts that are not built yet, which are validated only: ${pendingText()}.

This page is generated from \`packages/server/src/app/config/keys\`; change it there and run
\`node packages/server/src/app/config/configuration-doc.ts docs/configuration.md\`.
`;

/** The reference of all settings as Markdown; a test compares it with docs/configuration.md. */
export const configurationDoc = (): string => {
  const sections = new Map<string, string[]>();
  for (const [key, row] of keyRows) {
    const section = key.split('.')[0] ?? key;
    const lines = sections.get(section) ?? [];
    lines.push(tableRow(key, row));
    sections.set(section, lines);
  }
  const chapters = [...sections].map(([section, lines]) => chapter(section, lines));
  return `${introduction}\n${chapters.join('\n')}`;
};

const chapter = (section: string, lines: readonly string[]): string =>
  [
    `## ${titles[section] ?? section}`,
    '',
    '| Key | Variable | Value | Default | |',
    '|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');

const tableRow = (key: string, row: KeyRow<unknown>): string => {
  const cells = [`\`${key}\``, `\`${environmentName(key)}\``, row.kind.label, defaultText(key, row), row.doc];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
};

const defaultText = (key: string, row: KeyRow<unknown>): string => {
  if (row.fallback === undefined) return row.derived ?? 'none';
  const shown = row.kind.show(row.fallback, key);
  return `\`${typeof shown === 'string' ? shown : JSON.stringify(shown)}\``;
};

// As a program: writes the reference to the given path.
const target = process.argv[2];
if (import.meta.main && target !== undefined) writeFileSync(target, configurationDoc());
