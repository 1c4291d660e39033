import { resolve } from 'node:path';
import { configInForce } from '../config-place.ts';
import type { GlobalOptions } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import type { Host, ServerModule } from '../host.ts';
import { counted, renderTable, styleFor } from '../terminal/index.ts';

export interface ConfigOptions extends GlobalOptions {
  readonly config?: string;
  readonly strict?: boolean;
  readonly all?: boolean;
}

type Loaded = ReturnType<ServerModule['loadConfig']>;

const load = async (
  host: Host,
  options: ConfigOptions,
): Promise<{ readonly server: ServerModule; readonly loaded: Loaded }> => {
  const server = await host.loadServer();
  const flags = { config: options.config ?? configInForce(host) };
  return { server, loaded: server.loadConfig({ flags, environment: host.environment, cwd: host.cwd }) };
};

const lineOf = (fault: Loaded['warnings'][number]): string =>
  [fault.label, fault.key, fault.text].filter((piece) => piece !== '').join(': ');

/** `svc config check`: lists every error with its place, and warnings, which count as errors with --strict. */
export const checkConfig = async (host: Host, options: ConfigOptions): Promise<void> => {
  const { loaded } = await load(host, options).catch((error: unknown) => failWithAll(error, options));
  const lines = loaded.warnings.map(lineOf);
  if (options.strict === true && lines.length > 0) throw new CommandFailure(lines.join('\n'));
  for (const line of lines) host.stderr.write(`warning: ${line}\n`);
  host.stdout.write(`${loaded.config.file ?? 'no file: defaults and environment'}: good\n`);
};

const failWithAll = (error: unknown, { strict }: ConfigOptions): never => {
  if (!(error instanceof Error) || error.name !== 'ConfigError') throw error;
  const { warnings } = error as Error & Pick<Loaded, 'warnings'>;
  const lines = warnings.map((fault) => (strict === true ? lineOf(fault) : `warning: ${lineOf(fault)}`));
  throw new CommandFailure([error.message, ...lines].join('\n'), { cause: error });
};

/** `svc config show`: effective values with their source, secrets masked; only changed ones unless --all. */
export const showConfig = async (host: Host, options: ConfigOptions): Promise<void> => {
  const { server, loaded } = await load(host, options);
  const rows = server.configurationValues(loaded);
  // Loaded here, as in about.ts: starting a server needs no output forms.
  const { outputForm, printList } = await import('../output.ts');
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: rows }, form);
  const changed = rows.filter((row) => options.all === true || row.source !== 'default');
  for (const warning of loaded.warnings) host.stderr.write(`warning: ${lineOf(warning)}\n`);
  const style = styleFor(host.stderr, host.environment, options.color);
  if (options.all !== true) {
    const of = `of ${rows.length} settings`;
    host.stderr.write(
      style.dim(
        `${counted(changed.length, `${of} differs from its default`, `${of} differ from their defaults`)}; --all shows every one\n`,
      ),
    );
  }
  if (changed.length === 0) return;
  const cells = changed.map((row) => [row.key, valueText(row.value), row.label === '' ? row.source : row.label]);
  host.stdout.write(
    renderTable(['KEY', 'VALUE', 'FROM'], cells, host.stdout.isTerminal ? host.stdout.columns : undefined),
  );
};

const valueText = (value: unknown): string => {
  if (value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Written by `svc config init` and a first `svc up`. */
export const starterConfig = `# Settings of this svc server. Everything has a default; docs/configuration.md lists all keys.
# \`svc config check\` finds mistakes, \`svc config show\` prints what is in effect.

# server:
#   listen: 127.0.0.1:7420

# To let other machines in, choose how they sign in:
# auth:
#   mode: [token]
#   token: {env: SVC_TOKEN_OF_MINE}      # at least 16 characters
# server:
#   listen: 0.0.0.0:7420

# Models: openai, anthropic and google are there when OPENAI_API_KEY, ANTHROPIC_API_KEY or
# GOOGLE_GENERATIVE_AI_API_KEY is set. Others:
# models:
#   default: local/llama
#   providers:
#     local:
#       type: openai-compatible
#       baseUrl: http://127.0.0.1:11434/v1
`;

/** `svc config init [PATH]`: writes a commented file; never overwrites an existing one. */
export const initConfig = (host: Host, path: string | undefined): void => {
  const target = resolve(host.cwd, path ?? 'svc.yaml');
  if (host.files.facts(target) !== undefined)
    throw new CommandFailure(`${target} exists already`, { hint: 'svc config check' });
  host.files.writeText(target, starterConfig, 0o600);
  host.stdout.write(`${target}\n`);
};
