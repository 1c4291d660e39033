import type { Command } from 'commander';
import type { RebaseOptions, TryOptions } from '../agents/index.ts';
import type { ChannelOptions } from '../channels/index.ts';
import type { GlobalOptions } from '../connection.ts';
import type { ExplainEventOptions, RunConnectorOptions } from '../connectors/index.ts';
import type { DeliveryOptions } from '../deliveries/index.ts';
import type { Host } from '../host.ts';
import type { CheckOptions, GrantOptions, LoginOptions, LogoutOptions } from '../mcp/index.ts';
import type { EventOptions, LogOptions, ReportOptions, UsageOptions } from '../operations/index.ts';
import type { PurgeOptions } from '../resources/index.ts';
import type { ExecOptions } from '../sandboxes/index.ts';
import type { NextOptions } from '../schedules/index.ts';
import { example, run } from './run-action.ts';
import { declareWorkflows } from './workflow-commands.ts';

/** Commands about what runs: namespaces, agents, channels, deliveries, schedules, limits, processes, changes. */
export const declareOperationCommands = (program: Command, host: Host): void => {
  declareNamespaces(program.command('namespace').description('deleted namespaces and their contents'), host);
  declareAgents(program.command('agent').description('agents and their templates'), host);
  declareChannels(program.command('channel').description('rooms that people and agents talk in'), host);
  declareDeliveries(program.command('delivery').description('messages on their way to messaging platforms'), host);
  declareSchedules(program.command('schedule').description('when schedules run, and how that went'), host);
  declareWorkflows(program.command('workflow').description('runs of workflows'), host);
  declareConnectors(
    program.command('connector').description('messaging platforms: the programs that connect them'),
    host,
  );
  declareMcp(program.command('mcp').description('MCP servers: whether they answer, and who is signed in'), host);
  declareOperations(program, host);
};

const declareNamespaces = (namespace: Command, host: Host): void => {
  const load = () => import('../resources/index.ts');
  example(namespace.command('restore <namespace>'), 'svc namespace restore acme')
    .description('bring a deleted namespace and its contents back, within the grace period')
    .action(run<GlobalOptions>(async ([name = ''], options) => (await load()).restoreNamespace(host, name, options)));
  example(namespace.command('purge <namespace>'), 'svc namespace purge acme --yes')
    .description('remove a namespace and its contents at once, for good')
    .option('-y, --yes', 'do not ask for the name')
    .action(run<PurgeOptions>(async ([name = ''], options) => (await load()).purgeNamespace(host, name, options)));
};

const declareAgents = (agent: Command, host: Host): void => {
  const load = () => import('../agents/index.ts');
  example(agent.command('tools <agent>'), 'svc agent tools helper')
    .description('tools that the agent would be offered now, and why others are missing')
    .action(run<GlobalOptions>(async ([name = ''], options) => (await load()).listTools(host, name, options)));
  example(agent.command('try <agent> <tool> [arguments]'), `svc agent try helper calculate '{"expression":"6*7"}'`)
    .description('call one tool as the agent would, without a model; arguments are a JSON object')
    .option('--wait <seconds>', 'until the call is given up, at most 600 (default: 60)')
    .option('-y, --yes', 'allow a call that a person has to allow')
    .action(run<TryOptions>(async (words, options) => (await load()).tryTool(host, words, options)));
  example(agent.command('rebase <agent>'), 'svc agent rebase helper --keep systemPrompt')
    .description('bring an agent up to its template: shows the difference, asks, writes')
    .option('--keep <field...>', 'fields of the spec that stay as they are')
    .option('--template <name>', 'a template other than the one it was made from')
    .option('--dry-run', 'only show the difference')
    .option('-y, --yes', 'do not ask')
    .action(run<RebaseOptions>(async ([name = ''], options) => (await load()).rebaseAgent(host, name, options)));
};

const declareConnectors = (connector: Command, host: Host): void => {
  const load = () => import('../connectors/index.ts');
  example(connector.command('platforms'), 'svc connector platforms -o yaml')
    .description('platforms that can be connected, with their settings and match fields')
    .action(run<GlobalOptions>(async (_args, options) => (await load()).listPlatforms(host, options)));
  example(
    connector.command('run <platform>'),
    'svc connector run slack --settings slack.yaml',
    'svc connector run slack --print-manifests --agent helper --match team=T012 | svc apply -f -',
  )
    .description('connect a messaging platform until Ctrl-C; settings from flags, a file or the environment')
    .option('--set <name=value...>', 'settings of the platform')
    .option('--settings <path>', 'YAML file with settings, listen, apiKey and class')
    .option('--listen <host:port>', 'where webhooks and svc arrive, default 127.0.0.1:7430')
    .option('--class <name>', 'name of the ConnectorClass, default that of the platform')
    .option('--no-register', 'do not ask the server to register this connector')
    .option('--print-manifests', 'only print the ConnectorClass and a Connector to apply')
    .option('--endpoint <url>', 'where the server finds this connector, for the manifest')
    .option('--agent <name>', 'who answers, for the manifest; default demo')
    .option('--match <field=value...>', 'messages that the manifest routes')
    .action(
      run<RunConnectorOptions>(async ([platform = ''], options) =>
        (await load()).runConnector(host, platform, options),
      ),
    );
  example(
    connector.command('explain <connector> [text...]'),
    'svc connector explain support "hello" --match team=T012 --conversation C1',
  )
    .description('what a message of the platform would do: its route, its agent; nothing is taken')
    .option('--match <field=value...>', 'match fields of the message, default those of the connector')
    .option('--conversation <id>', 'conversation on the platform')
    .option('--thread <id>', 'thread of the conversation')
    .option('--sender <id>', 'who wrote it')
    .option('--sender-kind <kind>', 'user, bot, app or system')
    .action(run<ExplainEventOptions>(async (words, options) => (await load()).explainEvent(host, words, options)));
};

const declareChannels = (channel: Command, host: Host): void => {
  const load = () => import('../channels/index.ts');
  example(channel.command('post <channel> [text...]'), 'svc channel post room "@helper what is new?"')
    .description('post a message; from a pipe without text')
    .option('--author <name>', 'in whose name')
    .option('--subscription <name...>', 'call these subscriptions of trigger manual')
    .action(run<ChannelOptions>(async (words, options) => (await load()).postMessage(host, words, options)));
  example(channel.command('explain <channel> [text...]'), 'svc channel explain room "@helper what is new?"')
    .description('which agents a message would call, and why not the others; nothing is posted')
    .option('--author <name>', 'in whose name')
    .option('--author-kind <kind>', 'user, agent or what else the author is')
    .option('--subscription <name...>', 'call these subscriptions of trigger manual')
    .action(run<ChannelOptions>(async (words, options) => (await load()).explainMessage(host, words, options)));
  example(channel.command('tail <channel>'), 'svc channel tail room')
    .description('the newest messages, then new events, until Ctrl-C')
    .option('--limit <count>', 'newest messages to show first, default 10')
    .option('--no-follow', 'leave after the newest messages')
    .action(run<ChannelOptions>(async ([name = ''], options) => (await load()).tailChannel(host, name, options)));
  example(channel.command('close <channel>'), 'svc channel close room')
    .description('stop taking messages')
    .action(
      run<GlobalOptions>(async ([name = ''], options) =>
        (await load()).setChannelPhase(host, { channel: name, phase: 'closed' }, options),
      ),
    );
  example(channel.command('open <channel>'), 'svc channel open room')
    .description('take messages again')
    .action(
      run<GlobalOptions>(async ([name = ''], options) =>
        (await load()).setChannelPhase(host, { channel: name, phase: 'open' }, options),
      ),
    );
};

const declareDeliveries = (delivery: Command, host: Host): void => {
  const load = () => import('../deliveries/index.ts');
  example(delivery.command('list', { isDefault: true }), 'svc delivery list --state held')
    .description('deliveries of the namespace, newest first')
    .option('--connector <name>', 'only of this connector')
    .option('--state <state>', 'only held, pending, delivered, rejected, dead or skipped')
    .option('--limit <count>', 'most deliveries')
    .action(run<DeliveryOptions>(async (_args, options) => (await load()).listDeliveries(host, options)));
  example(delivery.command('show <delivery>'), 'svc delivery show DELIVERY')
    .description('one delivery with its text')
    .action(run<GlobalOptions>(async ([id = ''], options) => (await load()).showDelivery(host, id, options)));
  const decisions = [
    ['release', 'ReleaseDelivery', 'send a reply that waits for review, as its message is now'],
    ['skip', 'SkipDelivery', 'end a reply that waits for review without sending it'],
    ['retry', 'RetryDelivery', 'send a rejected or dead delivery again'],
  ] as const;
  for (const [word, decision, description] of decisions)
    example(delivery.command(`${word} <delivery>`), `svc delivery ${word} DELIVERY`)
      .description(description)
      .action(
        run<GlobalOptions>(async ([id = ''], options) =>
          (await load()).decideDelivery(host, { id, decision }, options),
        ),
      );
};

const declareSchedules = (schedule: Command, host: Host): void => {
  example(schedule.command('next [schedule]'), 'svc schedule next nightly --count 3')
    .description('the next runs of a schedule, or the next run of each')
    .option('--count <number>', 'runs to show, default 10, at most 20')
    .action(
      run<NextOptions>(async ([name], options) =>
        (await import('../schedules/index.ts')).showNext(host, name, options),
      ),
    );
  example(schedule.command('run <schedule>'), 'svc schedule run nightly')
    .description('start what it starts once, now, also when it is off')
    .action(
      run<GlobalOptions>(async ([name = ''], options) =>
        (await import('../schedules/index.ts')).runNow(host, name, options),
      ),
    );
  example(schedule.command('history <schedule>'), 'svc schedule history nightly')
    .description('what happened to it lately: runs, retries, instants that were missed')
    .action(
      run<GlobalOptions>(async ([name = ''], options) =>
        (await import('../schedules/index.ts')).showHistory(host, name, options),
      ),
    );
};

const declareMcp = (mcp: Command, host: Host): void => {
  const load = () => import('../mcp/index.ts');
  example(mcp.command('check <server>'), 'svc mcp check desk -n acme')
    .description('connect to a server as agents do, and show its tools')
    .option('--identity <name>', 'with the sign-in of somebody else')
    .action(run<CheckOptions>(async ([name = ''], options) => (await load()).checkServer(host, name, options)));
  example(mcp.command('login <server>'), 'svc mcp login desk -n acme')
    .description('print the address at which you sign in, and wait until you are')
    .option('--no-wait', 'only print the address')
    .action(run<LoginOptions>(async ([name = ''], options) => (await load()).login(host, name, options)));
  example(mcp.command('logout <server>'), 'svc mcp logout desk -n acme')
    .description('forget your sign-in and have its tokens revoked')
    .option('--identity <name>', 'that of somebody else')
    .option('--shared', 'the one that serves the whole namespace')
    .action(run<LogoutOptions>(async ([name = ''], options) => (await load()).logout(host, name, options)));
  example(mcp.command('grants'), 'svc mcp grants -n acme')
    .description('who is signed in to which servers')
    .option('--server <name>', 'only of this server')
    .option('--identity <name>', 'only of this identity')
    .option('--limit <count>', 'most sign-ins')
    .action(run<GrantOptions>(async (_words, options) => (await load()).listGrants(host, options)));
};

const declareOperations = (program: Command, host: Host): void => {
  const load = () => import('../operations/index.ts');
  example(program.command('usage'), 'svc usage -n acme', 'svc usage --by model --since 7d --recursive')
    .description('limits in effect and how much of them is used; with --by what model calls used')
    .option('-A, --all-namespaces', 'of every namespace')
    .option('--by <group>', 'tokens and cost by agent, model, identity, namespace or day')
    .option('--since <time>', 'with --by: such as 7d or 2030-01-31, default 30d')
    .option('--recursive', 'with --by: of the namespaces below too')
    .option('--agent <name>', 'with --by: only of this agent')
    .option('--model <provider/model>', 'with --by: only of this model')
    .option('--identity <name>', 'with --by: only of this identity')
    .option('--limit <count>', 'with --by: rows to show, default 100')
    .action(
      run<UsageOptions & ReportOptions>(async (_words, options) => {
        const commands = await load();
        return options.by === undefined ? commands.showUsage(host, options) : commands.reportUsage(host, options);
      }),
    );
  const worker = program.command('worker').description('processes of the server');
  example(worker.command('list'), 'svc worker list')
    .description('processes, their state and addresses')
    .action(run<GlobalOptions>(async (_words, options) => (await load()).listWorkers(host, options)));
  example(worker.command('drain <worker>'), 'svc worker drain 01a200e4-00a7-704f-8f48-f06824b13094')
    .description('make a process take no new work and hand over what it has')
    .action(run<GlobalOptions>(async ([name = ''], options) => (await load()).drainWorker(host, name, options)));
  example(worker.command('claims <worker>'), 'svc worker claims 01a200e4-00a7-704f-8f48-f06824b13094')
    .description('what a process holds: turns, deliveries, schedules, runs, sandboxes')
    .option('--limit <count>', 'most claims')
    .action(run<GlobalOptions>(async ([name = ''], options) => (await load()).listWorkerClaims(host, name, options)));
  const sandbox = program.command('sandbox').description('where agents run code');
  example(sandbox.command('exec <sandbox> <command...>'), 'svc sandbox exec session-0f3a -- ls -l')
    .description('run one command in a sandbox, as its agent could')
    .option('--cwd <path>', 'folder to run in; the workspace when left out')
    .option('--for <duration>', 'how long it may take, at most 5m; 30s when left out')
    .action(
      run<ExecOptions>(async (words, options) =>
        (await import('../sandboxes/index.ts')).execSandbox(host, words, options),
      ),
    );
  example(program.command('logs'), 'svc logs -f --level warn', 'svc logs --since 10m --contains turn -o jsonl')
    .description('what the server has written to its log: the newest 1,000 lines')
    .option('-f, --follow', 'continue with each line as it is written, until Ctrl-C')
    .option('--since <time>', 'such as 10m, 2h or 2030-01-31')
    .option('--tail <count>', 'only so many of the newest lines; 0 with -f: only new ones')
    .option('--level <level>', 'only lines of debug, info, warn or error and above')
    .option('--contains <text>', 'only lines with this text')
    .action(run<LogOptions>(async (_words, options) => (await load()).showLogs(host, options)));
  example(program.command('events'), 'svc events -f --kind agents', 'svc events --audit --since 1h')
    .description('changes of resources; with --audit who did what')
    .option('-f, --follow', 'continue with new changes, until Ctrl-C')
    .option('-A, --all-namespaces', 'of every namespace')
    .option('--recursive', 'of the namespaces below too')
    .option('--kind <kind...>', 'only of these kinds')
    .option('--since <time>', 'such as 10m, 2h, 7d or 2030-01-31')
    .option('--audit', 'the audit log: writes, secret reads, failed sign-ins')
    .option('--identity <name>', 'with --audit: only of this caller')
    .option('--operation <name>', 'with --audit: only this operation')
    .option('--limit <count>', 'with --audit: newest records, default 50')
    .action(run<EventOptions>(async (_words, options) => (await load()).showEvents(host, options)));
};
