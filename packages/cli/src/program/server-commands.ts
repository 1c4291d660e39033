import type { Command } from 'commander';
import type { LoginOptions } from '../account/index.ts';
import type { GlobalOptions } from '../connection.ts';
import type { DoctorOptions } from '../doctor/index.ts';
import type { Host } from '../host.ts';
import type { ConfigOptions, ServeOptions, UpOptions } from '../server/index.ts';
import { declareApiKeyCommands } from './api-key-commands.ts';
import { example, run } from './run-action.ts';

/** Commands that start or check a server on this machine. */
export const declareServerCommands = (program: Command, host: Host): void => {
  const starting = () => import('../server/index.ts');
  example(program.command('up'), 'svc up --port 7421')
    .description('start a server with a demo agent; creates what is missing')
    .option('--port <port>', 'port on this machine, 0 picks a free one')
    .option('--data-dir <path>', 'where everything is kept')
    .option('--config <path>', 'configuration file')
    .option('--no-open', 'do not open the browser')
    .option('--no-demo', 'do not create the demo agent')
    .option('--connector <platform...>', 'connect messaging platforms from this process; settings from the environment')
    .action(run<UpOptions>(async (_args, options) => (await starting()).up(host, options)));
  example(program.command('serve'), 'svc serve --config /etc/svc/svc.yaml')
    .description('start a server for production; never writes configuration')
    .option('--config <path>', 'configuration file')
    .option('--roles <list>', 'gateway, controller, worker')
    .action(run<ServeOptions>(async (_args, options) => (await starting()).serve(host, options)));
  example(program.command('doctor'), 'svc doctor --online')
    .description('find what keeps svc from working')
    .option('--config <path>', 'configuration file')
    .option('--data-dir <path>', 'data directory to check')
    .option('--online', 'also checks that need the network')
    .action(run<DoctorOptions>(async (_args, options) => (await import('../doctor/index.ts')).doctor(host, options)));
  declareConfig(program.command('config').description('settings of a server on this machine'), host);
};

const declareConfig = (config: Command, host: Host): void => {
  const load = () => import('../server/index.ts');
  example(config.command('check'), 'svc config check --strict')
    .description('list every mistake with its place')
    .option('--config <path>', 'configuration file')
    .option('--strict', 'warnings count as mistakes')
    .action(run<ConfigOptions>(async (_args, options) => (await load()).checkConfig(host, options)));
  example(config.command('show'), 'svc config show --all')
    .description('print the settings in effect and where each comes from')
    .option('--config <path>', 'configuration file')
    .option('--all', 'defaults too')
    .action(run<ConfigOptions>(async (_args, options) => (await load()).showConfig(host, options)));
  example(config.command('init [path]'), 'svc config init svc.yaml')
    .description('write a commented file to start from')
    .action(run(async ([path]) => (await load()).initConfig(host, path)));
};

/** Commands about the person: identity, profiles, versions. */
export const declareUserCommands = (program: Command, host: Host): void => {
  const account = () => import('../account/index.ts');
  example(program.command('login [server]'), 'svc login https://svc.example.org --api-key')
    .description('check a credential and keep it in a profile')
    .option('--api-key', 'it is an API key')
    .option('--password', 'it is a password')
    .action(run<LoginOptions>(async ([server], options) => (await account()).login(host, server, options)));
  example(program.command('logout'), 'svc logout --profile work')
    .description('forget the credential of a profile')
    .action(run<GlobalOptions>(async (_args, options) => (await account()).logout(host, options)));
  example(program.command('whoami'), 'svc whoami -o json')
    .description('the identity that the server sees, and what you may do')
    .action(run<GlobalOptions>(async (_args, options) => (await account()).whoami(host, options)));
  example(program.command('version'), 'svc version')
    .description('versions of this program and of the server')
    .action(run<GlobalOptions>(async (_args, options) => (await import('../about.ts')).version(host, options)));
  example(program.command('completion <shell>'), 'source <(svc completion bash)')
    .description('script for bash, zsh, fish or powershell')
    .action(run(async ([shell = '']) => (await import('../completion/index.ts')).printScript(host, shell)));
  declareProfile(program.command('profile').description('saved servers, credentials and namespaces'), host);
  declareApiKeyCommands(program.command('apikey').description('keys for programs'), host);
};

const declareProfile = (profile: Command, host: Host): void => {
  const load = () => import('../account/index.ts');
  example(profile.command('list'), 'svc profile list')
    .description('all profiles')
    .action(run<GlobalOptions>(async (_args, options) => (await load()).listProfiles(host, options)));
  example(profile.command('use <name>'), 'svc profile use work')
    .description('make a profile the current one')
    .action(run(async ([name = '']) => (await load()).useProfile(host, name)));
  example(profile.command('set <name>'), 'svc profile set work --server https://svc.example.org -n acme')
    .description('set --server and --namespace of a profile')
    .action(run<GlobalOptions>(async ([name = ''], options) => (await load()).setProfile(host, name, options)));
  example(profile.command('delete <name>'), 'svc profile delete work')
    .description('remove a profile')
    .action(run(async ([name = '']) => (await load()).deleteProfile(host, name)));
};
