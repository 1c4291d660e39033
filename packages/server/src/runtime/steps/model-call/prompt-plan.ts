import type { ReadTx, Store } from '../../../store/contracts/index.ts';
import type { OfferedTool } from '../../../tools/contract.ts';
import {
  type AgentRevision,
  PART,
  type PromptAssembler,
  type PromptPlan,
  type PromptRequest,
  type PromptSkills,
  type SessionSide,
  type SkillSource,
} from '../../contract.ts';
import { admittedAt, parseSide, type ResolvedProfile } from '../../record/index.ts';
import { toolTurn } from '../agent-grants.ts';
import type { StepTurn } from '../contract.ts';
import { targetKey } from './model-request.ts';

/** What planning a prompt uses. */
export interface PromptPorts {
  readonly store: Pick<Store, 'read'>;
  readonly prompts: PromptAssembler;
  /** Absent: there are no skills. */
  readonly skills?: SkillSource;
}

/** Turns that are offered the same list share what their models get of it. */
const toldTools = new WeakMap<readonly OfferedTool[], PromptRequest['tools']>();

const modelTools = (offered: readonly OfferedTool[]): PromptRequest['tools'] => {
  const known = toldTools.get(offered);
  if (known !== undefined) return known;
  const told = offered.map(({ tool: { name, description, inputSchema } }) => ({ name, description, inputSchema }));
  toldTools.set(offered, told);
  return told;
};

/** Skills that are features of the agent, which are active from the start, then those that the session activated. */
const activeSkills = ({ features }: AgentRevision['spec'], { skills }: SessionSide): readonly string[] => {
  const fixed = features.filter(({ type }) => type === 'skill').map(({ name }) => name);
  return fixed.length === 0 ? skills : [...new Set([...fixed, ...skills])];
};

/** A plan, with what it was planned from. */
export type PlannedPrompt = PromptPlan & { readonly request: PromptRequest };
export type PlannedCall = Extract<PlannedPrompt, { kind: 'call' }>;
export type PlannedSummary = Extract<PlannedPrompt, { kind: 'compact' }>;

/** Goals and skills as they are now: tools of the step before may have changed them, and others the text of a skill. */
const readSide = async (
  tx: ReadTx,
  { agent, session, row }: StepTurn,
  source: SkillSource | undefined,
): Promise<{ readonly goals: NonNullable<SessionSide['goals']>; readonly skills: PromptSkills | undefined }> => {
  const side = parseSide((await tx.log.session(session.id)) ?? session);
  const skills = await source?.promptSkills(tx, row.namespace, activeSkills(agent.spec, side));
  return { goals: side.goals ?? [], skills };
};

/** Plans the prompt of the turn's next model call; what the session has of goals and skills is read again each time. */
export const planPrompt = async (
  turn: StepTurn,
  profile: ResolvedProfile,
  call: {
    readonly offered: readonly OfferedTool[];
    readonly windowFactor: number;
    readonly skipCompaction: boolean;
    readonly ports: PromptPorts;
  },
): Promise<PlannedPrompt> => {
  const { agent, session, row, body, claim } = turn;
  const { store, prompts, skills: source } = call.ports;
  const side = parseSide(session);
  const { goals, skills: stored } = await claim.patiently(() => store.read((tx) => readSide(tx, turn, source)));
  const skills = await claim.patiently(async () =>
    stored === undefined ? undefined : ((await source?.withOutside?.(toolTurn(turn), stored)) ?? stored),
  );
  const request: PromptRequest = {
    agent,
    namespaceLabels: turn.namespaceLabels,
    session: { id: session.id, labels: session.labels },
    sender: body.cause.labels['svc/external-sender-name'] ?? '',
    channel: session.labels['svc/channel'] ?? '',
    target: profile.target,
    nowMicros: body.snapshot?.nowMicros ?? admittedAt(row, body),
    transcript: turn.messages(),
    turnId: row.id,
    tools: modelTools(call.offered),
    tokenCorrection: side.tokenCorrection[targetKey(profile.target)] ?? 1,
    windowFactor: call.windowFactor,
    skipCompaction: call.skipCompaction,
    compactNow: side.compactRequested === true && !turn.recorded.some(({ part }) => part.type === PART.COMPACTION),
    goals: goals.filter((goal) => goal.phase === 'active'),
    ...(skills === undefined ? {} : { skills }),
  };
  const plan = await claim.patiently(() => prompts.plan(request));
  return { ...plan, request };
};
