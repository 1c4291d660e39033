import type { Store } from '../../store/contracts/index.ts';
import type { SessionSide } from '../contract.ts';
import { parseSide } from '../record/index.ts';
import type { Step, StepTurn } from './contract.ts';
import type { NewRequest, Requests } from './request-step.ts';
import { answeredCalls, decisionFor, type JudgedCall, type RunnableCall } from './tool-batch/index.ts';

/** What permission questions use. */
export interface PermissionPorts {
  readonly store: Pick<Store, 'read'>;
}

/** Asks what a batch must ask before its first call runs; `run` answers whether the turn waits with its questions. */
export interface Permission extends Step<readonly JudgedCall[], boolean> {
  /** Answers that hold for the session, by tool. */
  remembered(turn: StepTurn): Promise<SessionSide['remembered']>;
}

/** The question whether a tool may run. */
export const question = ({ row }: StepTurn, { call, tool, input }: RunnableCall): NewRequest => ({
  toolCallId: call.callId,
  action: tool.name,
  prompt: `Allow ${row.agent} to run ${tool.name}?`,
  input,
  options: [
    { id: 'allow_once', name: 'Allow once', allow: true, remember: false },
    { id: 'allow_session', name: 'Allow for this session', allow: true, remember: true },
    { id: 'deny_once', name: 'Deny', allow: false, remember: false },
  ],
});

class PermissionStep implements Permission {
  readonly #ports: PermissionPorts;
  readonly #requests: Requests;

  constructor(ports: PermissionPorts, requests: Requests) {
    this.#ports = ports;
    this.#requests = requests;
  }

  async remembered({ claim, row }: StepTurn): Promise<SessionSide['remembered']> {
    const { store } = this.#ports;
    const session = await claim.patiently(() => store.read((tx) => tx.log.session(row.sessionId)));
    return session === undefined ? {} : parseSide(session).remembered;
  }

  /**
   * Every question of the batch is asked before its first call runs. Where the first call must wait for its answer,
   * nothing else can run: the turn waits from then on. True when it does.
   */
  async run(turn: StepTurn, judged: readonly JudgedCall[]): Promise<boolean> {
    const done = answeredCalls(turn.recorded);
    const open = await this.#unasked(turn, judged, done);
    if (open.length === 0) return false;
    const mayPark = judged.find((entry) => !done.has(entry.call.callId)) === open[0] && !turn.isStopping;
    const questions = open.map((entry) => question(turn, entry));
    return this.#requests.ask(turn, questions, mayPark);
  }

  /** Calls that need a question and have none yet. */
  async #unasked(
    turn: StepTurn,
    judged: readonly JudgedCall[],
    done: ReadonlySet<string>,
  ): Promise<readonly RunnableCall[]> {
    const remembered = await this.remembered(turn);
    return judged.filter(
      (entry): entry is RunnableCall =>
        entry.kind === 'ask' &&
        !done.has(entry.call.callId) &&
        remembered[entry.tool.name] === undefined &&
        decisionFor(turn.recorded, entry.call.callId) === 'unasked',
    );
  }
}

/** The permission questions of turns, asked before a batch runs. */
export const createPermission = (ports: PermissionPorts, requests: Requests): Permission =>
  new PermissionStep(ports, requests);
