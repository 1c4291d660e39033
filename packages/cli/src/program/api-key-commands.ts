import type { Command } from 'commander';
import type { ApiKeyOptions } from '../account/index.ts';
import type { GlobalOptions } from '../connection.ts';
import type { Host } from '../host.ts';
import { example, run } from './run-action.ts';

const load = () => import('../account/index.ts');

/** `create` of an API key, for each command that has it. */
export const declareApiKeyCreation = (create: Command, host: Host): Command =>
  create
    .description('an API key; it is shown once, on standard output')
    .option('--grant <grant...>', 'what it may do, such as viewer@acme or operator@acme/helper')
    .option('--read-secrets', 'it may read secret values where its grants reach')
    .option('--force', 'even for namespaces that do not exist yet')
    .option('--expires <time>', 'such as 30d, 12h or 2030-01-31')
    .action(run<ApiKeyOptions>(async ([name = ''], options) => (await load()).createApiKey(host, name, options)));

/** Commands about API keys. */
export const declareApiKeyCommands = (apiKey: Command, host: Host): void => {
  declareApiKeyCreation(
    example(apiKey.command('create <name>'), 'svc apikey create ci --grant operator@acme --expires 30d'),
    host,
  );
  example(apiKey.command('list'), 'svc apikey list --revoked')
    .description('keys within your own grants')
    .option('--revoked', 'revoked ones too')
    .action(run<ApiKeyOptions>(async (_args, options) => (await load()).listApiKeys(host, options)));
  example(apiKey.command('revoke <id>'), 'svc apikey revoke 01a2004b-560f-7044-bbf3-2ade092e2675')
    .description('end a key and everything that was signed in with it')
    .action(run<GlobalOptions>(async ([id = ''], options) => (await load()).revokeApiKey(host, id, options)));
};
