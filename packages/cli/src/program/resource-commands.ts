import type { Command } from 'commander';
import type { DeleteFilesOptions } from '../manifests/index.ts';
import type { CreateOptions, DeleteOptions, GetOptions, WaitOptions } from '../resources/index.ts';
import type { World } from '../world.ts';
import { declareApiKeyCreation } from './api-key-commands.ts';
import { run } from './run-action.ts';

/** Commands that treat all kinds alike. */
export const declareResourceCommands = (program: Command, world: World): void => {
  const scoped = (command: Command): Command =>
    command
      .option('-l, --selector <labels>', 'only those with these labels')
      .option('--agent <name>', 'sessions: only of this agent');
  scoped(program.command('get <kind> [name...]'))
    .description('list or show namespaces, agents, sessions')
    .option('-A, --all-namespaces', 'of every namespace')
    .option('--limit <count>', 'most items of a list')
    .action(
      run<GetOptions>(async (words, options) => (await import('../resources/index.ts')).get(world, words, options)),
    );
  scoped(program.command('describe <kind> [name]'))
    .description('everything about one of them')
    .action(
      run<GetOptions>(async (words, options) =>
        (await import('../resources/index.ts')).describe(world, words, options),
      ),
    );
  scoped(program.command('delete [kind] [name...]'))
    .description('delete some of them, or everything that manifests name')
    .option('-f, --filename <path...>', 'manifests: files, directories, - for standard input')
    .option('--cascade <way>', 'with -f: background, foreground or orphan')
    .option('--purge', 'namespaces: remove the contents at once')
    .action(
      run<DeleteOptions & DeleteFilesOptions>(async (words, options) =>
        options.filename === undefined
          ? (await import('../resources/index.ts')).remove(world, words, options)
          : (await import('../manifests/index.ts')).removeFiles(world, options),
      ),
    );
  program
    .command('wait <kind> [name]')
    .description('wait until something holds')
    .option('--for <goal>', 'condition=TYPE (condition=Ready), phase=PHASE or delete')
    .action(
      run<WaitOptions>(async (words, options) => (await import('../resources/index.ts')).wait(world, words, options)),
    );
  declareCreate(program.command('create').description('create a namespace, an agent, a session or an API key'), world);
};

const declareCreate = (create: Command, world: World): void => {
  const load = () => import('../resources/index.ts');
  const labels = 'such as team=red,tier=1';
  create
    .command('namespace <name>')
    .alias('ns')
    .description('a namespace; a deleted one comes back with its contents')
    .option('--recursive', 'create missing namespaces above it')
    .option('--parent <name>', 'namespace above it')
    .option('--labels <labels>', labels)
    .action(run<CreateOptions>(async ([name = ''], options) => (await load()).createNamespace(world, name, options)));
  create
    .command('agent <name>')
    .description('an agent')
    .option('--model <provider/model>', 'model of its default profile')
    .option('--prompt <text>', 'system prompt')
    .option('--spec <file>', 'agent spec as YAML or JSON, - for standard input')
    .option('--template <name>', 'agent template to start from')
    .option('--labels <labels>', labels)
    .action(run<CreateOptions>(async ([name = ''], options) => (await load()).createAgent(world, name, options)));
  create
    .command('session <agent>')
    .description('a conversation with an agent')
    .option('--labels <labels>', labels)
    .action(run<CreateOptions>(async ([agent = ''], options) => (await load()).createSession(world, agent, options)));
  declareApiKeyCreation(create.command('apikey <name>'), world);
};
