import type { Command } from 'commander';
import type { Host } from '../host.ts';
import type { DeleteFilesOptions } from '../manifests/index.ts';
import type { CreateOptions, DeleteOptions, GetOptions, WaitOptions } from '../resources/index.ts';
import { declareApiKeyCreation } from './api-key-commands.ts';
import { readingManifests } from './manifest-options.ts';
import { example, run, takingKind } from './run-action.ts';

/** Commands for all kinds. */
export const declareResourceCommands = (program: Command, host: Host): void => {
  const scoped = (command: Command): Command =>
    takingKind(command)
      .option('-l, --selector <labels>', 'only those with these labels')
      .option('--agent <name>', 'sessions: only of this agent');
  scoped(example(program.command('get <kind> [name...]'), 'svc get agents -A', 'svc get channel room -o manifest'))
    .description('list or show resources of a kind, such as agents, channels or ns')
    .option('-A, --all-namespaces', 'of every namespace')
    .option('-w, --watch', 'continue with every change until Ctrl-C')
    .option('--limit <count>', 'most items of a list')
    .option('--show-managed', 'a column with what manages each')
    .action(
      run<GetOptions>(async (words, options) => (await import('../resources/index.ts')).get(host, words, options)),
    );
  scoped(example(program.command('watch <kind> [name...]'), 'svc watch agents -A', 'svc watch schedule daily'))
    .description('as svc get --watch: what exists, then every change until Ctrl-C')
    .option('-A, --all-namespaces', 'of every namespace')
    .action(
      run<GetOptions>(async (words, options) =>
        (await import('../resources/index.ts')).get(host, words, { ...options, watch: true }),
      ),
    );
  scoped(
    example(
      program.command('describe <kind> [name...]'),
      'svc describe agent helper',
      'svc describe agents -l team=red',
    ),
  )
    .description('everything about each of them')
    .action(
      run<GetOptions>(async (words, options) => (await import('../resources/index.ts')).describe(host, words, options)),
    );
  const deleting = example(
    program.command('delete [kind] [name...]'),
    'svc delete agent helper',
    'svc delete -f team/',
  );
  readingManifests(scoped(deleting))
    .description('delete some of them, or everything that manifests name')
    .option('--cascade <way>', 'what happens to dependants: background, foreground or orphan')
    .option('--force', 'remove the finalizers that delay it; admins only')
    .option('--purge', 'namespaces: remove the contents at once')
    .option('-y, --yes', 'with -l: do not ask before deleting')
    .action(
      run<DeleteOptions & DeleteFilesOptions>(async (words, options) =>
        options.filename === undefined
          ? (await import('../resources/index.ts')).remove(host, words, options)
          : (await import('../manifests/index.ts')).removeFiles(host, options),
      ),
    );
  takingKind(example(program.command('wait <kind> [name]'), 'svc wait agent helper --for condition=Ready --timeout 1m'))
    .description('wait until something holds')
    .option('--for <goal>', 'condition=TYPE (condition=Ready), phase=PHASE or delete')
    .action(
      run<WaitOptions>(async (words, options) => (await import('../resources/index.ts')).wait(host, words, options)),
    );
  declareCreate(program.command('create').description('create a namespace, an agent, a session or an API key'), host);
};

const declareCreate = (create: Command, host: Host): void => {
  const load = () => import('../resources/index.ts');
  const labels = 'such as team=red,tier=1';
  example(create.command('namespace <name>'), 'svc create namespace acme:red --recursive --labels tier=gold')
    .alias('ns')
    .description('a namespace; a deleted one comes back with its contents')
    .option('--recursive', 'create missing namespaces above it')
    .option('--parent <name>', 'namespace above it')
    .option('--labels <labels>', labels)
    .action(run<CreateOptions>(async ([name = ''], options) => (await load()).createNamespace(host, name, options)));
  example(create.command('agent <name>'), 'svc create agent helper --model demo/echo --prompt "Be brief."')
    .description('an agent')
    .option('--model <provider/model>', 'model of its default profile')
    .option('--prompt <text>', 'system prompt')
    .option('--spec <file>', 'agent spec as YAML or JSON, - for standard input')
    .option('--template <name>', 'agent template to start from')
    .option('--labels <labels>', labels)
    .action(run<CreateOptions>(async ([name = ''], options) => (await load()).createAgent(host, name, options)));
  example(create.command('session <agent>'), 'svc create session helper')
    .description('a conversation with an agent')
    .option('--labels <labels>', labels)
    .action(run<CreateOptions>(async ([agent = ''], options) => (await load()).createSession(host, agent, options)));
  declareApiKeyCreation(example(create.command('apikey <name>'), 'svc create apikey ci --grant viewer@acme'), host);
};
