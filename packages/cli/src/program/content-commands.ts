import type { Command } from 'commander';
import type { GlobalOptions } from '../connection.ts';
import type { ScopeOptions } from '../context.ts';
import type { Host } from '../host.ts';
import type { KnowledgeOptions, SyncOptions } from '../knowledge/index.ts';
import type { MemoryListOptions } from '../listings/index.ts';
import type { SecretOptions } from '../secrets/index.ts';
import type { ArtifactOptions, ForgetOptions, PutOptions } from '../stored-files/index.ts';
import { example, run } from './run-action.ts';

/** Commands about what agents read and make: files, artifacts, secrets, knowledge. */
export const declareContentCommands = (program: Command, host: Host): void => {
  declareFiles(program.command('file').description('files of a namespace'), host);
  declareMemory(program.command('memory').description('what agents remember'), host);
  declareArtifacts(program.command('artifact').description('what agents made in a session'), host);
  declareSecrets(program.command('secret').description('passwords, keys and tokens of a namespace'), host);
  declareKnowledge(program.command('knowledge').description('documents that agents read'), host);
};

const describingFile = (command: Command): Command =>
  command
    .option('--media-type <type>', 'such as text/markdown; else by the name')
    .option('--purpose <word>', 'memory, artifact or skill')
    .option('--index <word>', 'none, search or retrieval')
    .option('--retention <word>', 'retained or ephemeral');

const declareFiles = (file: Command, host: Host): void => {
  const load = () => import('../stored-files/index.ts');
  describingFile(example(file.command('put <local> [path]'), 'svc file put report.pdf /reports/may.pdf'))
    .description('store a file of this machine, - for standard input; bytes the server has are not sent')
    .action(run<PutOptions>(async (words, options) => (await load()).putFile(host, words, options)));
  example(file.command('get <file> [local]'), 'svc file get /reports/may.pdf may.pdf')
    .description('its bytes, to a file or standard output; -o json describes it')
    .action(run<GlobalOptions>(async (words, options) => (await load()).getFile(host, words, options)));
  example(file.command('list [prefix]'), 'svc file list /reports')
    .description('files by path')
    .option('-l, --selector <labels>', 'only those with these labels')
    .option('--limit <count>', 'most files')
    .action(
      run<GlobalOptions & ScopeOptions>(async ([prefix], options) =>
        (await import('../listings/index.ts')).listFiles(host, prefix, options),
      ),
    );
  example(file.command('rm <file...>'), 'svc file rm /reports/may.pdf')
    .description('remove files')
    .action(run<GlobalOptions>(async (words, options) => (await load()).removeFiles(host, words, options)));
};

const declareMemory = (memory: Command, host: Host): void => {
  const load = () => import('../stored-files/index.ts');
  example(memory.command('list'), 'svc memory list --identity key:01a2004b-560f-7044-bbf3-2ade092e2675')
    .description('what all turns share, or what belongs to one identity, by path')
    .option('--identity <id>', 'as audit records name it')
    .option('--limit <count>', 'most files')
    .action(
      run<GlobalOptions & MemoryListOptions>(async (_words, options) =>
        (await import('../listings/index.ts')).listMemory(host, options),
      ),
    );
  example(memory.command('show <path>'), 'svc memory show /preferences.md')
    .description('the text that is remembered at a path')
    .action(run<GlobalOptions>(async ([path = ''], options) => (await load()).getFile(host, [path], options)));
  example(memory.command('forget <identity>'), 'svc memory forget key:01a2004b-560f-7044-bbf3-2ade092e2675')
    .description('remove everything that belongs to an identity; what all turns share stays')
    .option('-y, --yes', 'do not ask before removing')
    .action(
      run<ForgetOptions>(async ([identity = ''], options) => (await load()).forgetMemory(host, identity, options)),
    );
};

const declareArtifacts = (artifact: Command, host: Host): void => {
  const load = () => import('../stored-files/index.ts');
  const ofAgent = (command: Command): Command =>
    command.option('--agent <name>', 'agent of the session; avoids a search');
  ofAgent(example(artifact.command('list <session>'), 'svc artifact list 01a2004b-560f-7044-bbf3-2ade092e2675'))
    .description('artifacts of a session, newest first')
    .option('--limit <count>', 'most artifacts')
    .action(
      run<GlobalOptions & ScopeOptions>(async ([session = ''], options) =>
        (await import('../listings/index.ts')).listArtifacts(host, session, options),
      ),
    );
  ofAgent(
    example(
      artifact.command('get <session> [artifact] [local]'),
      'svc artifact get artifact://NS/AGENT/SESSION/ID plot.png',
    ),
  )
    .description('its bytes, to a file or standard output; SESSION may be a whole artifact:// address')
    .action(run<ArtifactOptions>(async (words, options) => (await load()).getArtifact(host, words, options)));
  describingFile(
    ofAgent(
      example(
        artifact.command('promote <session> [artifact] [path]'),
        'svc artifact promote SESSION ID /plots/may.png',
      ),
    ),
  )
    .description('make a file of it, which outlives the session')
    .action(run<ArtifactOptions>(async (words, options) => (await load()).promoteArtifact(host, words, options)));
};

const declareSecrets = (secret: Command, host: Host): void => {
  const load = () => import('../secrets/index.ts');
  example(
    secret.command('set <secret> [key] [value...]'),
    'svc secret set openai apiKey < key.txt',
    'svc secret set tls --from-file tls.crt=server.crt --from-file tls.key=server.key',
  )
    .usage('[options] <secret> [key]')
    .description('set a value from standard input, a hidden prompt or files; never from an argument')
    .option('--from-file <pair...>', 'KEY=PATH: the bytes of a file')
    .option('--remove <key...>', 'remove keys')
    .option('--type <text>', 'what kind of secret it is (Opaque)')
    .option('--if-version <version>', 'only if it still has this resourceVersion, 0 if it is not there yet')
    .action(run<SecretOptions>(async (words, options) => (await load()).setSecret(host, words, options)));
  example(secret.command('get <secret> [key]'), 'svc secret get openai apiKey --reveal')
    .description('its keys; with --reveal its values, which is audited')
    .option('--reveal', 'show values')
    .action(run<SecretOptions>(async (words, options) => (await load()).getSecret(host, words, options)));
  example(secret.command('list'), 'svc secret list -n acme')
    .description('secrets and their keys')
    .option('-l, --selector <labels>', 'only those with these labels')
    .option('--limit <count>', 'most secrets')
    .action(run<SecretOptions>(async (_words, options) => (await load()).listSecrets(host, options)));
  example(secret.command('rotate-key'), 'svc secret rotate-key')
    .description('encrypt with a new key from now on, and re-encrypt all stored values')
    .action(run<GlobalOptions>(async (_words, options) => (await load()).rotateKey(host, options)));
};

const declareKnowledge = (knowledge: Command, host: Host): void => {
  const load = () => import('../knowledge/index.ts');
  example(knowledge.command('list [prefix]'), 'svc knowledge list guides')
    .description('documents by path')
    .action(
      run<GlobalOptions>(async ([prefix], options) =>
        (await import('../listings/index.ts')).listKnowledge(host, prefix, options),
      ),
    );
  example(knowledge.command('get <document>'), 'svc knowledge get guides/start.md')
    .description('the text of a document')
    .option('--agent <name>', 'as this agent sees it, from namespaces above too')
    .action(run<KnowledgeOptions>(async ([path = ''], options) => (await load()).getKnowledge(host, path, options)));
  example(knowledge.command('set <document>'), 'svc knowledge set guides/start.md -f start.md')
    .description('write a document')
    .option('-f, --filename <path>', 'file with the text; else standard input')
    .action(run<KnowledgeOptions>(async ([path = ''], options) => (await load()).setKnowledge(host, path, options)));
  example(knowledge.command('delete <document...>'), 'svc knowledge delete guides/start.md')
    .description('delete documents')
    .action(run<KnowledgeOptions>(async (words, options) => (await load()).deleteKnowledge(host, words, options)));
  example(knowledge.command('search <query...>'), 'svc knowledge search "how to start" --agent helper')
    .description('what an agent would find, best first')
    .option('--agent <name>', 'for this agent; needed where there are several')
    .option('--limit <count>', 'most hits, default 5, at most 50')
    .action(
      run<KnowledgeOptions>(async (words, options) => (await load()).searchKnowledge(host, words.join(' '), options)),
    );
  example(knowledge.command('sync <directory>'), 'svc knowledge sync docs --prefix handbook --prune')
    .description('every Markdown file below a directory as a document')
    .option('--prefix <path>', 'path below which the documents are')
    .option('--prune', 'delete what an earlier sync wrote and the directory no longer has')
    .option('--allow-empty', 'with --prune: an empty directory deletes all of them')
    .option('--dry-run', 'only say what would be done')
    .option('--watch', 'continue with every change until Ctrl-C')
    .option('-y, --yes', 'do not ask before deleting')
    .action(
      run<SyncOptions>(async ([directory = ''], options) => (await load()).syncKnowledge(host, directory, options)),
    );
};
