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

Printed from the table of keys in \`packages/server/src/app/config/keys\`; change it there and run
\`node packages/server/src/app/config/configuration-doc.ts docs/configuration.md\`.

The file is the first of: \`--config\`, \`SVC_CONFIG\`, \`SVC_CONFIG_INLINE\` (the text itself), \`./svc.yaml\`, \`./svc.yml\`,
\`./svc.json\`, \`$XDG_CONFIG_HOME/svc/svc.yaml\`, \`/etc/svc/svc.yaml\`; without one, defaults hold. \`extends: other.yaml\` lays
the file over another one. A flag wins over an environment variable, a variable over the file.

* Durations are texts such as \`10s\`, \`5m\`, \`1h30m\`, \`7d\`; a plain number counts the unit in the key's name, else seconds.
* Sizes are texts such as \`4MiB\`, or bytes.
* Lists in a variable are separated by commas; maps are JSON.
* Texts may hold \`\${NAME}\` and \`\${NAME:-otherwise}\`; \`$\${\` writes \`\${\`. An unset name without a text is an error.
* Secrets may be \`{env: NAME}\` or \`{file: path}\`. Relative paths start at the file that names them.
* \`svc config check\` lists every fault with its line, \`svc config show\` every value with its source.
* Changes take effect at a restart. \`telemetry.logLevel\` and the files of \`server.tls\` are read again on SIGHUP too; what cannot be
  read then is logged and stays as it was. An \`svc up\` in a terminal ends on SIGHUP, for the terminal is gone.
* Keys of parts that are still to come are checked already and have no effect yet: ${pendingText()}.
* What is written and has no effect is a warning at the start, in \`svc config check\` and in \`svc doctor\`: those keys, roles that leave one out
  (every process does everything yet), keys of PostgreSQL with SQLite, and \`auth.jwt\` or \`auth.jwks\` with other modes.
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

// As a program: writes the reference to the path that is given.
const target = process.argv[2];
if (import.meta.main && target !== undefined) writeFileSync(target, configurationDoc());
