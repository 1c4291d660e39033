import type { Command } from 'commander';
import type { ChatOptions } from '../chat/index.ts';
import type { GlobalOptions } from '../connection.ts';
import type { Host } from '../host.ts';
import type { AnswerOptions, InboxOptions } from '../inbox/index.ts';
import type { DeleteOptions, GetOptions } from '../resources/index.ts';
import type { PromptOptions, SearchOptions, SendOptions, SessionOptions } from '../sessions/index.ts';
import { example, run } from './run-action.ts';

const collect = (value: string, former: readonly string[] = []): readonly string[] => [...former, value];

/** Commands about conversations. */
export const declareAgentCommands = (program: Command, host: Host): void => {
  example(program.command('chat [agent]'), 'svc chat helper -m "What is new?"')
    .description('talk to an agent; with -m or from a pipe one message')
    .option('--session <id>', 'continue this conversation')
    .option('--new', 'start a new conversation')
    .option('-m, --message <text>', 'send this, print the reply, leave')
    .option('--file <path>', 'send a file with -m; may be repeated', collect)
    .option('--show-reasoning', 'show what the model thinks')
    .action(
      run<ChatOptions>(async ([agent], options) => (await import('../chat/index.ts')).chat(host, agent, options)),
    );
  declareSend(
    example(program.command('send <session> [text]'), 'svc send SESSION "What is new?" --wait').description(
      'send a message; from a pipe without text',
    ),
    host,
  );
  declarePrompt(
    example(program.command('prompt <session> [turn] [step]'), 'svc prompt SESSION --diff').description(
      'what a model was sent: the newest call, or one of a turn',
    ),
    host,
  );
  example(program.command('trail <id>'), 'svc trail MESSAGE')
    .description('what became of a message: all that it caused, and what caused it')
    .action(
      run<GlobalOptions>(async ([id = ''], options) =>
        (await import('../trail/index.ts')).showTrail(host, id, options),
      ),
    );
  example(program.command('search <text>'), 'svc search "opening hours" --agent helper')
    .description('find messages with these words')
    .option('-A, --all-namespaces', 'in every namespace')
    .option('--agent <name>', 'only in sessions of this agent')
    .option('--limit <count>', 'most messages')
    .action(
      run<SearchOptions>(async ([text = ''], options) =>
        (await import('../sessions/index.ts')).searchSessions(host, text, options),
      ),
    );
  declareInbox(program.command('inbox').description('what agents wait for people to answer'), host);
  const session = program.command('session').description('conversations');
  declareManagement(session, host);
  declareWatching(session, host);
  declareSend(
    example(session.command('send <session> [text]'), 'svc send SESSION "What is new?" --wait').description(
      'as svc send',
    ),
    host,
  );
};

const declareInbox = (inbox: Command, host: Host): void => {
  const load = () => import('../inbox/index.ts');
  example(inbox.command('list', { isDefault: true }), 'svc inbox -A')
    .description('open requests: permissions, questions, sign-ins, limits to raise')
    .option('-A, --all-namespaces', 'of every namespace')
    .option('--recursive', 'of the namespaces below as well')
    .option('--kind <kind>', 'only permission, input, sign_in or budget')
    .option('--agent <name>', 'only of this agent')
    .option('--identity <account>', 'only of turns on this account')
    .option('--limit <count>', 'most requests')
    .action(run<InboxOptions>(async (_args, options) => (await load()).listInbox(host, options)));
  example(inbox.command('answer <request>'), 'svc inbox answer REQUEST --data \'{"city":"Rome"}\'')
    .description('answer one; asks what the options leave open')
    .option('--allow', 'yes, or the first option that allows')
    .option('--deny', 'no, or decline to answer')
    .option('--option <id>', 'one of the options of the request')
    .option('--data <json>', 'the data that is asked for')
    .option('--comment <text>', 'why; the agent reads it')
    .action(run<AnswerOptions>(async ([id = ''], options) => (await load()).answerRequest(host, id, options)));
  example(inbox.command('link <request>'), 'svc inbox link REQUEST')
    .description('an address at which somebody answers it without signing in')
    .action(run<GlobalOptions>(async ([id = ''], options) => (await load()).linkRequest(host, id, options)));
};

const withAgent = (command: Command): Command =>
  command.option('--agent <name>', 'agent of the session; avoids a search');

const declareSend = (command: Command, host: Host): void => {
  withAgent(command)
    .option('--wait [duration]', 'wait for the reply, at most 300s')
    .option('--when-busy <how>', 'queue, steer, interrupt or reject')
    .action(
      run<SendOptions>(async (args, options) => (await import('../sessions/index.ts')).send(host, args, options)),
    );
};

const declarePrompt = (command: Command, host: Host): void => {
  withAgent(command)
    .option('--steps', 'list the calls of the turn')
    .option('--diff', 'compare with the call before')
    .option('--body', 'print the body that the provider was sent')
    .action(
      run<PromptOptions>(async (args, options) => (await import('../sessions/index.ts')).prompt(host, args, options)),
    );
};

const declareManagement = (session: Command, host: Host): void => {
  const load = () => import('../sessions/index.ts');
  const get = () => import('../resources/index.ts');
  example(session.command('list [agent]'), 'svc session list helper --limit 5')
    .description('sessions of the namespace, or of one agent')
    .option('-A, --all-namespaces', 'of every namespace')
    .option('-l, --selector <labels>', 'only those with these labels')
    .option('--limit <count>', 'most sessions')
    .action(
      run<GetOptions>(async ([agent], options) =>
        (await get()).get(host, ['sessions'], agent === undefined ? options : { ...options, agent }),
      ),
    );
  withAgent(
    example(session.command('get <session>'), 'svc session get SESSION -o yaml').description('one session'),
  ).action(run<GetOptions>(async (names, options) => (await get()).get(host, ['session', ...names], options)));
  withAgent(
    example(session.command('delete <session...>'), 'svc session delete SESSION').description(
      'delete sessions with all their messages',
    ),
  ).action(
    run<DeleteOptions>(async (names, options) =>
      (await import('../resources/index.ts')).remove(host, ['session', ...names], options),
    ),
  );
  withAgent(
    example(session.command('stop <session>'), 'svc session stop SESSION').description(
      'end the answer that is being written',
    ),
  )
    .option('--turn <id>', 'only this turn')
    .action(run<SessionOptions>(async ([name = ''], options) => (await load()).stop(host, name, options)));
  withAgent(
    example(session.command('clear <session>'), 'svc session clear SESSION --stop').description('remove all messages'),
  )
    .option('--stop', 'end running turns first')
    .action(run<SessionOptions>(async ([name = ''], options) => (await load()).clear(host, name, options)));
  withAgent(
    example(session.command('compact <session>'), 'svc session compact SESSION').description(
      'ask for a summary of the messages so far, which the next turn writes',
    ),
  ).action(run<SessionOptions>(async ([name = ''], options) => (await load()).compact(host, name, options)));
  declareFork(session, host);
  withAgent(
    example(
      session.command('permit <session> <request> <decision>'),
      'svc session permit SESSION REQUEST allow',
    ).description('allow or deny what an agent asks for'),
  )
    .option('--option <id>', 'one of the options of the request')
    .option('--comment <text>', 'why')
    .action(run<SessionOptions>(async (args, options) => (await load()).permit(host, args, options)));
};

const declareFork = (session: Command, host: Host): void => {
  const load = () => import('../sessions/index.ts');
  withAgent(
    example(
      session.command('fork <session>'),
      'svc session fork SESSION --through MESSAGE',
      'svc session fork SESSION --model demo/echo --temperature 0 --system-prompt-file prompt.md',
    ).description('copy into a new session'),
  )
    .option('--through <message>', 'up to and including this message')
    .option('--model <provider/model>', 'runs with this model in place of the profiles of the agent')
    .option('--temperature <number>', 'runs with this temperature')
    .option('--system-prompt-file <path>', 'runs with the text of this file as system prompt')
    .action(run<SessionOptions>(async ([name = ''], options) => (await load()).fork(host, name, options)));
};

const UNTIL_DONE = 'end with the running turn, or after showing the last one';

const declareWatching = (session: Command, host: Host): void => {
  const load = () => import('../sessions/index.ts');
  withAgent(
    example(session.command('messages <session>'), 'svc session messages SESSION --limit 10').description(
      'what was said',
    ),
  )
    .option('--limit <count>', 'newest messages to show, default 50')
    .action(run<SessionOptions>(async ([name = ''], options) => (await load()).messages(host, name, options)));
  withAgent(
    example(session.command('stream <session>'), 'svc session stream SESSION --until-done').description(
      'events as JSON lines',
    ),
  )
    .option('--after <cursor>', 'events after this cursor; live for new ones only')
    .option('--until-done', UNTIL_DONE)
    .option('--turn <id>', 'only this turn')
    .action(run<SessionOptions>(async ([name = ''], options) => (await load()).stream(host, name, options)));
  withAgent(
    example(session.command('watch <session>'), 'svc session watch SESSION').description('events, shown as in a chat'),
  )
    .option('--after <cursor>', 'from this cursor on')
    .option('--until-done', UNTIL_DONE)
    .option('--show-reasoning', 'show what the model thinks')
    .action(run<SessionOptions>(async ([name = ''], options) => (await load()).watch(host, name, options)));
};
