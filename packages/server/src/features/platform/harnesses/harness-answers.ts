import { Fault } from '../../../base/index.ts';
import type { AgentRequests, PermissionQuestion, ToolUpdate } from '../../../protocols/acp/contract.ts';
import type { HarnessListener, HarnessTurn } from '../../../runtime/contract.ts';
import type { HarnessCalls } from './harness-calls.ts';
import { choiceFor, decisionOf, isAllowing, linesOf, type PolicyKey, policyKeyOf } from './harness-rules.ts';
import type { HarnessTerminals } from './harness-terminals.ts';

/** What of a sandbox a harness may ask its client for. */
export interface HarnessFiles {
  read(path: string): Promise<string>;
  write(path: string, content: string): Promise<void>;
}

interface AnswerDeps {
  readonly turn: Pick<HarnessTurn, 'agent' | 'runtime'>;
  readonly sink: HarnessListener;
  readonly calls: HarnessCalls;
  readonly files: HarnessFiles;
  readonly terminals: HarnessTerminals;
}

const VERBS: Readonly<Record<Exclude<PolicyKey, 'default'>, string>> = {
  filesystemRead: 'read',
  filesystemWrite: 'write',
  terminal: 'run',
};

const OPTIONS = [
  { id: 'allow_once', name: 'Allow once', allow: true },
  { id: 'deny_once', name: 'Deny', allow: false },
];

/** Answers the requests of a harness by the permission policy of its agent; whatever the answer, they stay inside the sandbox. */
export const harnessRequests = (deps: AnswerDeps): AgentRequests => {
  const { sink, calls, files, terminals } = deps;
  const act = async <T>(key: Exclude<PolicyKey, 'default'>, what: string, work: () => Promise<T>): Promise<T> => {
    await allowed(deps, key, what);
    return work();
  };
  return {
    update: async (update) => {
      if (update.kind === 'tool') await calls.note(update);
      else if (update.kind !== 'context') await sink.text(update.kind, update.text);
    },
    permission: (question) => decided(deps, question),
    readFile: ({ path, line, limit }) =>
      act('filesystemRead', path, async () => linesOf(await files.read(path), line, limit)),
    writeFile: (path, content) => act('filesystemWrite', path, () => files.write(path, content)),
    createTerminal: (request) =>
      act('terminal', [request.command, ...request.args].join(' '), () => terminals.create(request)),
    terminalOutput: (id) => terminals.output(id),
    terminalExit: (id) => terminals.exit(id),
    killTerminal: (id) => terminals.kill(id),
    releaseTerminal: (id) => terminals.release(id),
  };
};

/** Lets a request pass that needs no question of the harness; Fault PERMISSION_DENIED when it may not. */
const allowed = async (
  { turn, sink, calls }: AnswerDeps,
  key: Exclude<PolicyKey, 'default'>,
  what: string,
): Promise<void> => {
  const denied = (): Fault => new Fault('PERMISSION_DENIED', 'HARNESS_POLICY', `${VERBS[key]} is not allowed`);
  const decision = decisionOf(turn.runtime.permissionPolicy, key);
  if (decision === 'allow') return;
  if (decision === 'deny') throw denied();
  // What a person allowed a call to do covers the requests that this call makes.
  if (calls.covers(key)) return;
  const prompt = `Allow ${turn.agent} to ${VERBS[key]} ${what.slice(0, PROMPT_CHARS)}?`;
  const chosen = await sink.ask({ callId: '', action: key, prompt, input: { [INPUTS[key]]: what }, options: OPTIONS });
  if (chosen !== 'allow_once') throw denied();
};

const PROMPT_CHARS = 200;
const INPUTS = { filesystemRead: 'path', filesystemWrite: 'path', terminal: 'command' } as const;

/** The choice for a question of the harness; undefined for none. */
const decided = async (
  { turn, sink, calls }: AnswerDeps,
  { tool, choices }: PermissionQuestion,
): Promise<string | undefined> => {
  await calls.note(begun(tool));
  const { name, kind, input } = calls.about(tool.callId);
  const key = policyKeyOf(kind);
  const decision = decisionOf(turn.runtime.permissionPolicy, key);
  if (decision !== 'ask') return choiceFor(decision, choices)?.id;
  const options = choices.map((choice) => ({ id: choice.id, name: choice.name, allow: isAllowing(choice) }));
  const prompt = `Allow ${turn.agent} to run ${name}?`;
  const id = await sink.ask({ callId: tool.callId, action: name, prompt, input, options });
  const chosen = choices.find((choice) => choice.id === id);
  if (chosen !== undefined && isAllowing(chosen)) calls.allow(tool.callId, key);
  return chosen?.id;
};

/** A call about which is asked is shown before the question. */
const begun = (tool: ToolUpdate): ToolUpdate => ({ ...tool, input: tool.input ?? {} });
