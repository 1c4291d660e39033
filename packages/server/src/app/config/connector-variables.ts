import type { Config } from './config.ts';

/** Variables of this server: those its configuration names, those of its own prefix, and what its storage looks for by itself. */
const isOwnVariable = ({ variables, settings, store }: Config): ((name: string) => boolean) => {
  const named = new Set(variables);
  const prefixes = [
    ...(settings['objects.backend'] === 's3' ? ['AWS_'] : []),
    ...(store.engine === 'postgres' ? ['PG'] : []),
  ];
  return (name) =>
    named.has(name) ||
    // The prefix is shared: credentials of connectors are not settings.
    (name.startsWith('SVC_') && !name.startsWith('SVC_CONNECTOR_')) ||
    prefixes.some((prefix) => name.startsWith(prefix));
};

/** Which variables connectors may name: those that match the patterns (`*` for any text), except those of this server. */
export const connectorVariables = (
  patterns: readonly string[] | undefined,
  config: Config,
): ((name: string) => boolean) => {
  const forms = (patterns ?? []).map((pattern) =>
    pattern.split('*').map((text) => text.replace(/[^A-Za-z0-9_]/g, '\\$&')),
  );
  const allowed = forms.map((texts) => new RegExp(`^${texts.join('.*')}$`));
  const isOwn = isOwnVariable(config);
  return (name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isOwn(name) && allowed.some((form) => form.test(name));
};
