import { type Clock, type Fault, isFault, type Log } from '../../../base/index.ts';
import {
  type AgentConnection,
  AgentFailure,
  type AgentPipe,
  type AgentProgram,
  type ConnectAgent,
  DEMO_AGENT_NAME,
  DEMO_AGENT_PATH,
  type SessionSetup,
} from '../../../protocols/acp/contract.ts';
import type { ServeTools } from '../../../protocols/mcp-server/contract.ts';
import type { HarnessEnd, Harnesses, HarnessListener, HarnessTool, HarnessTurn } from '../../../runtime/contract.ts';
import type { SandboxPlan, SandboxProcess, SandboxProvider } from '../../../sandbox/contract.ts';
import { harnessRequests } from './harness-answers.ts';
import { HarnessCalls, TooManyCalls } from './harness-calls.ts';
import { harnessProgram, workFolder } from './harness-rules.ts';
import { HarnessTerminals } from './harness-terminals.ts';
import { RelayChannels } from './relay-channels.ts';
import { BRIDGE, RELAY } from './relay-programs.ts';

/** A sandbox while a harness runs in it. */
export interface HarnessSandbox {
  readonly name: string;
  readonly isReset: boolean;
  readonly plan: SandboxPlan;
  readonly provider: Pick<SandboxProvider, 'readFile' | 'writeFile'>;
  readonly signal: AbortSignal;
  start(command: Parameters<SandboxProvider['start']>[1], signal: AbortSignal): Promise<SandboxProcess>;
}

export interface HarnessRunnerDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Leases the sandbox of the session for the work; throws Faults as the tools of sandboxes get them. */
  readonly use: <T>(
    user: {
      readonly request: {
        readonly namespace: string;
        readonly agent: string;
        readonly sessionId: string;
        readonly turnId: string;
        readonly callKey: string;
      };
      readonly policy: string;
      readonly signal: AbortSignal;
    },
    work: (sandbox: HarnessSandbox) => Promise<T>,
  ) => Promise<{ readonly value: T }>;
  readonly connect: ConnectAgent;
  readonly demoProgram: () => Promise<string>;
  readonly serveTools: ServeTools;
  /** `acp.harnesses` */
  readonly configured: Parameters<typeof harnessProgram>[1];
  /** Variables of the agent with readable values. */
  readonly environment: (turn: HarnessTurn) => Promise<Readonly<Record<string, string>>>;
}

/** From the start of a harness to its first prompt. */
const START_MS = 60_000;
/** From the request to end a prompt to the end of the process. */
const CANCEL_MS = 2_000;
/** Longer than any turn: that has a limit of its own. */
const RUN_MS = 24 * 3_600_000;
const FILE_BYTES = 1_048_576;
/** Names the way to sign in that a harness shall use, among those that it offers. */
const SIGN_IN_VARIABLE = 'ACP_AUTH_METHOD';

const CANCELLED: HarnessEnd = { kind: 'ended', reason: 'cancelled', usage: undefined };

const failed = (errorClass: Extract<HarnessEnd, { kind: 'failed' }>['errorClass'], sentence: string): HarnessEnd => ({
  kind: 'failed',
  errorClass,
  sentence,
});

/** Starts harnesses in the sandboxes of their sessions, and ends them with their prompts. */
export class HarnessRunner implements Harnesses {
  readonly #deps: HarnessRunnerDeps;

  constructor(deps: HarnessRunnerDeps) {
    this.#deps = deps;
  }

  async run(turn: HarnessTurn, sink: HarnessListener): Promise<HarnessEnd> {
    const { namespace, agent, sessionId, turnId, runtime, signal } = turn;
    const ends = new Stopping(signal, this.#deps.clock);
    const request = { namespace, agent, sessionId, turnId, callKey: `${turnId}/harness` };
    try {
      const env = await this.#deps.environment(turn);
      const program = harnessProgram({ ...runtime, env }, this.#deps.configured);
      if (program === undefined)
        return failed('agent_not_ready', `This server has no harness ${runtime.harnessRef || '(none is named)'}.`);
      const user = { request, policy: runtime.sandboxPolicyRef, signal: ends.killed };
      const { value } = await this.#deps.use(user, (sandbox) =>
        new Prompted(turn, { sink, program, sandbox, ends, deps: this.#deps }).run(),
      );
      return value;
    } catch (error) {
      if (signal.aborted && !isOfTheTurn(error)) return CANCELLED;
      if (!isFault(error)) throw error;
      return faultEnd(error);
    } finally {
      ends.close();
    }
  }
}

/** Failures of the sink belong to the turn: they are not the harness's. */
const isOfTheTurn = (error: unknown): boolean => !isFault(error) && !(error instanceof DOMException);

/** Faults of what the agent says about its harness, which only its author can mend. */
const UNREADY: ReadonlySet<string> = new Set(['SANDBOX_POLICY', 'SECRET_NOT_FOUND', 'SANDBOX_COMMAND']);

const faultEnd = (error: Fault): HarnessEnd => {
  if (error.reason === 'SANDBOX_QUOTA') return failed('sandbox_quota', 'All sandboxes of the policy are in use.');
  if (error.reason === 'SANDBOX_FAILED') return failed('sandbox_failed', `The sandbox failed: ${error.message}.`);
  if (UNREADY.has(error.reason)) return failed('agent_not_ready', `The harness cannot be started: ${error.message}.`);
  if (error.code === 'UNAVAILABLE' || error.code === 'ABORTED')
    return { kind: 'lost', sentence: `The sandbox of the external agent was lost: ${error.message}.` };
  throw error;
};

/** What the end of a turn means for its harness: at once before there is a prompt, else by a request and 2 s later by force. */
class Stopping {
  readonly #turn: AbortSignal;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #kill = new AbortController();
  readonly #stop = (): void => this.#stopped();
  #cancel: (() => void) | undefined;
  #forget = (): void => undefined;

  constructor(turn: AbortSignal, clock: Pick<Clock, 'after'>) {
    this.#turn = turn;
    this.#clock = clock;
    if (turn.aborted) this.kill();
    else turn.addEventListener('abort', this.#stop, { once: true });
  }

  get killed(): AbortSignal {
    return this.#kill.signal;
  }

  /** A prompt is under way that `cancel` ends. */
  prompting(cancel: () => void): void {
    this.#cancel = cancel;
    if (this.#turn.aborted) this.#stopped();
  }

  kill(): void {
    this.#kill.abort();
  }

  close(): void {
    this.#turn.removeEventListener('abort', this.#stop);
    this.#forget();
  }

  #stopped(): void {
    if (this.#cancel === undefined) return this.kill();
    this.#cancel();
    this.#forget = this.#clock.after(CANCEL_MS, () => this.kill());
  }
}

interface PromptedBy {
  readonly sink: HarnessListener;
  readonly program: AgentProgram;
  readonly sandbox: HarnessSandbox;
  readonly ends: Stopping;
  readonly deps: HarnessRunnerDeps;
}

/** One process of a harness, from its start to its end. */
class Prompted {
  readonly #turn: HarnessTurn;
  readonly #by: PromptedBy;
  readonly #terminals: HarnessTerminals;
  readonly #calls: HarnessCalls;

  constructor(turn: HarnessTurn, by: PromptedBy) {
    this.#turn = turn;
    this.#by = by;
    this.#terminals = new HarnessTerminals((command, signal) => by.sandbox.start(command, signal));
    this.#calls = new HarnessCalls(by.sink, () => by.ends.kill());
  }

  async run(): Promise<HarnessEnd> {
    const { sandbox, program, ends } = this.#by;
    const cwd = workFolder(this.#turn.runtime.cwd, sandbox.plan);
    if (cwd === undefined)
      return failed('agent_not_ready', `The folder ${this.#turn.runtime.cwd} is not one that the harness may write.`);
    await this.#bringDemo();
    const tools = await this.#by.sink.tools();
    const own = [program.command, ...program.args];
    const argv = tools.length === 0 ? own : ['node', '-e', RELAY, '--', this.#socketPath, ...own];
    const process = await sandbox.start({ argv, cwd, env: program.env, timeoutMs: RUN_MS }, ends.killed);
    try {
      return await this.#talk(process, { cwd, tools });
    } catch (error) {
      return await this.#failure(error, process);
    } finally {
      ends.kill();
      await Promise.all([process.ended, this.#terminals.close()]);
    }
  }

  async #talk(
    process: SandboxProcess,
    { cwd, tools }: { readonly cwd: string; readonly tools: readonly HarnessTool[] },
  ): Promise<HarnessEnd> {
    const { deps, ends, sink, sandbox } = this.#by;
    let isLate = false;
    const tooLate = deps.clock.after(START_MS, () => {
      isLate = true;
      ends.kill();
    });
    let agent: AgentConnection | undefined;
    const drained = async (): Promise<void> => agent?.drained();
    try {
      const pipe = tools.length === 0 ? pipeOf(process) : this.#relayed(process, { tools, drained });
      agent = await deps.connect(pipe, this.#requests());
      await this.#signIn(agent);
      const servers =
        tools.length === 0 ? [] : [{ name: 'svc', command: 'node', args: ['-e', BRIDGE, this.#socketPath] }];
      const opened = await this.#session(agent, { cwd, servers });
      tooLate();
      const text = await sink.opened({ ...opened, isReset: sandbox.isReset, sandbox: sandbox.name });
      const connection = agent;
      ends.prompting(() => void connection.cancel(opened.id));
      const { reason, usage } = await agent.prompt(opened.id, text);
      await this.#calls.endAll();
      return { kind: 'ended', reason: REASONS[reason] ?? 'stop', usage };
    } catch (error) {
      if (isLate) throw new AgentFailure('gone', `it did not start within ${START_MS / 1_000} s`, { cause: error });
      throw error;
    } finally {
      tooLate();
      agent?.close();
    }
  }

  get #socketPath(): string {
    return `/tmp/svc-${this.#turn.turnId}.sock`;
  }

  /** The harness behind its relay, and its connections to the tools of the agent. */
  #relayed(
    process: SandboxProcess,
    { tools, drained }: { readonly tools: readonly HarnessTool[]; readonly drained: () => Promise<void> },
  ): AgentPipe {
    const { sink, deps, ends } = this.#by;
    const offer = {
      tools: async () => tools,
      call: async ({ name, input }: { readonly name: string; readonly input: unknown }) => {
        if (!tools.some((tool) => tool.name === name)) return undefined;
        // What the harness said of the call before it made it is known first.
        await drained();
        return sink.callTool({ name, input, announcedAs: this.#calls.announced(name) });
      },
    };
    const channels = new RelayChannels(process, (pipe) => {
      deps.serveTools(pipe, offer).catch((error: unknown) => {
        deps.log.warn('tools of a harness failed', { turn: this.#turn.turnId, reason: String(error) });
        ends.kill();
      });
    });
    return channels.harness;
  }

  #requests() {
    const { sandbox, sink } = this.#by;
    const { provider, plan, signal } = sandbox;
    const files = {
      read: async (path: string): Promise<string> =>
        new TextDecoder().decode(await provider.readFile(plan, path, { signal, limitBytes: FILE_BYTES })),
      write: (path: string, content: string): Promise<void> =>
        provider.writeFile(plan, path, { signal, bytes: new TextEncoder().encode(content) }),
    };
    return harnessRequests({ turn: this.#turn, sink, calls: this.#calls, files, terminals: this.#terminals });
  }

  async #signIn(agent: AgentConnection): Promise<void> {
    const wanted = this.#by.program.env[SIGN_IN_VARIABLE];
    if (wanted !== undefined && agent.signIns.includes(wanted)) await agent.signIn(wanted);
  }

  /** The session of an earlier turn where the harness still knows it, else a new one. */
  async #session(
    agent: AgentConnection,
    setup: SessionSetup,
  ): Promise<{ readonly id: string; readonly isLoaded: boolean }> {
    const { savedSessionId } = this.#turn;
    if (savedSessionId !== '' && agent.canLoad && (await agent.load(savedSessionId, setup)))
      return { id: savedSessionId, isLoaded: true };
    return { id: await agent.create(setup), isLoaded: false };
  }

  async #bringDemo(): Promise<void> {
    const { runtime } = this.#turn;
    const { sandbox, deps, program } = this.#by;
    if (runtime.harnessRef !== DEMO_AGENT_NAME || !program.args.includes(DEMO_AGENT_PATH)) return;
    const bytes = new TextEncoder().encode(await deps.demoProgram());
    await sandbox.provider.writeFile(sandbox.plan, DEMO_AGENT_PATH, { bytes, signal: sandbox.signal });
  }

  /** What went wrong, as the end of the harness; failures of the turn itself are its own. */
  async #failure(error: unknown, process: SandboxProcess): Promise<HarnessEnd> {
    const { ends, deps } = this.#by;
    if (error instanceof TooManyCalls) return failed('harness_lost', `${sentence(error.message)}`);
    if (!(error instanceof AgentFailure)) throw error;
    ends.kill();
    const { exitCode, endedBy } = await process.ended;
    const { namespace, agent, sessionId: session, turnId: turn } = this.#turn;
    deps.log.warn('harness failed', { namespace, agent, session, turn, kind: error.kind, exit_code: exitCode });
    if (error.kind !== 'gone') return failed('harness_lost', `The external agent failed: ${error.message}.`);
    if (exitCode === 126 || exitCode === 127)
      return failed('agent_not_ready', 'The sandbox does not have the command that starts the external agent.');
    const why = endedBy === 'exit' ? ` (exit code ${exitCode})` : endedBy === 'stopped' ? '' : ` (${endedBy})`;
    return { kind: 'lost', sentence: `The external agent was lost: ${error.message}${why}.` };
  }
}

const pipeOf = (process: SandboxProcess): AgentPipe => ({
  output: process.stdout,
  write: (bytes) => process.write(bytes),
});

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const REASONS: Readonly<Record<string, Extract<HarnessEnd, { kind: 'ended' }>['reason']>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  max_turn_requests: 'length',
  refusal: 'refused',
  cancelled: 'cancelled',
};
