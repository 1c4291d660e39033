import { hash } from 'node:crypto';
import { Fault } from '../../base/index.ts';
import type { ModelRegistry, ModelRequest, ModelTool } from '../../models/contract.ts';
import type { ReadTx, Store, TurnRow } from '../../store/contracts/index.ts';
import type {
  DroppedMessage,
  HistoryReader,
  InspectedPrompt,
  ObjectAccess,
  PromptAgent,
  PromptRequest,
  PromptSkills,
  RebuiltRequest,
  StepFacts,
  StepInspector,
  StepPlace,
  StepRecord,
  UnavailableReason,
} from '../contract.ts';
import { createPromptInspector } from '../prompt/index.ts';
import { admittedAt, parseBody } from '../record/index.ts';
import { stepFacts } from './step-facts.ts';
import { type StepTranscript, stepTranscript } from './step-transcript.ts';

/** What rebuilding requests uses. */
interface InspectionDeps {
  readonly store: Pick<Store, 'read'>;
  readonly models: Pick<ModelRegistry, 'bodyOf' | 'countTokens'>;
  readonly history: Pick<HistoryReader, 'within'>;
  readonly readObject: ObjectAccess['read'];
}

const unavailable = (reason: UnavailableReason): RebuiltRequest => ({ state: 'unavailable', reason });

/** Texts that a request was made of. */
interface Sources {
  readonly agent: PromptAgent;
  readonly tools: readonly ModelTool[];
  readonly skills: PromptSkills;
}

/** Undefined when one of them is not kept any more. */
const readSources = async (tx: ReadTx, namespace: string, record: StepRecord): Promise<Sources | undefined> => {
  const read = async (key: string | undefined): Promise<unknown> => {
    if (key === undefined) return [];
    const row = await tx.promptSources.get({ namespace, hash: key });
    return row === undefined ? undefined : (JSON.parse(row.body) as unknown);
  };
  const agent = await read(record.agent);
  const tools = await read(record.tools);
  const catalogue = await read(record.catalogue);
  const active: unknown[] = [];
  for (const key of record.skills ?? []) active.push(await read(key));
  if ([agent, tools, catalogue, ...active].includes(undefined)) return undefined;
  return { agent, tools, skills: { catalogue, active } } as Sources;
};

/** A request without what it was made of. */
interface Found {
  readonly turn: TurnRow;
  readonly record: StepRecord;
  readonly sources: Sources;
  readonly transcript: StepTranscript;
}

const promptRequest = ({ turn, record, sources, transcript }: Found): PromptRequest => {
  const body = parseBody(turn);
  const { session = {}, namespace = {} } = record.values ?? {};
  return {
    agent: sources.agent,
    namespaceLabels: namespace,
    session: { id: turn.sessionId, labels: session },
    sender: body.cause.labels['svc/external-sender-name'] ?? '',
    channel: session['svc/channel'] ?? '',
    target: record.target,
    nowMicros: body.snapshot?.nowMicros ?? admittedAt(turn, body),
    transcript: transcript.messages,
    turnId: turn.id,
    tools: sources.tools,
    tokenCorrection: 1,
    windowFactor: 1,
    skipCompaction: true,
    skills: sources.skills,
    ...(record.goals === undefined ? {} : { goals: record.goals }),
  };
};

const modelRequest = ({ turn, record }: Found, prompt: InspectedPrompt): ModelRequest => ({
  target: record.target,
  messages: prompt.messages,
  tools: prompt.tools,
  ...(record.temperature === undefined ? {} : { temperature: record.temperature }),
  ...(record.thinking === undefined ? {} : { thinking: record.thinking }),
  ...(record.outputLimit === undefined ? {} : { outputLimit: record.outputLimit }),
  ...(record.summary === undefined
    ? {}
    : { maxOutputTokens: record.summary.maxOutputTokens, purpose: 'compaction' as const }),
  namespace: turn.namespace,
  turnId: turn.id,
  callNumber: record.step,
});

/** What a harness was sent; nothing surrounds it. */
const promptText = ({ messages }: InspectedPrompt): string =>
  messages
    .flatMap(({ content }) => content)
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('');

/** Messages that the history did not reach, as one line. */
const notRead = (olderId: string | undefined, prompt: InspectedPrompt): readonly DroppedMessage[] =>
  olderId === undefined || prompt.pieces.some(({ source }) => source === 'summary')
    ? []
    : [{ messageId: olderId, reason: 'not_read', tokens: 0 }];

class Inspector implements StepInspector {
  readonly #deps: InspectionDeps;
  readonly #inspect: ReturnType<typeof createPromptInspector>;

  constructor(deps: InspectionDeps) {
    this.#deps = deps;
    this.#inspect = createPromptInspector(deps);
  }

  list(turn: TurnRow): ReturnType<StepInspector['list']> {
    return this.#deps.store.read((tx) => stepFacts(tx, turn));
  }

  async rebuild(turn: TurnRow, place: StepPlace): ReturnType<StepInspector['rebuild']> {
    const isWanted = ({ step, summary }: StepFacts): boolean => step === place.step && summary === place.summary;
    const facts = (await this.list(turn)).find(isWanted);
    if (facts === undefined) return undefined;
    if (facts.record === undefined) return { facts, request: unavailable(facts.unavailable ?? 'NOT_RECORDED') };
    return { facts, request: await this.#rebuilt(turn, facts.record) };
  }

  async #rebuilt(turn: TurnRow, record: StepRecord): Promise<RebuiltRequest> {
    const { store, history } = this.#deps;
    const found = await store.read(async (tx) => {
      const sources = await readSources(tx, turn.namespace, record);
      return sources === undefined
        ? undefined
        : { turn, record, sources, transcript: await stepTranscript(tx, { turn, record }, history) };
    });
    if (found === undefined) return unavailable('SOURCE_EXPIRED');
    const prompt = await this.#inspect(promptRequest(found), record);
    const body = record.harness === undefined ? await this.#body(modelRequest(found, prompt)) : promptText(prompt);
    if (body === undefined) return unavailable('PROVIDER_CHANGED');
    const sha256 = hash('sha256', body, 'base64url');
    const isExact = sha256 === record.sha256;
    const change = isExact ? undefined : await this.#changeOf(found, prompt);
    if (change !== undefined) return unavailable(change);
    const isHarness = record.harness !== undefined;
    const dropped = isHarness ? [] : [...notRead(found.transcript.olderId, prompt), ...prompt.dropped];
    const state = isExact ? 'exact' : 'different';
    return { state, prompt: { ...prompt, dropped }, tools: prompt.tools, body, sha256 };
  }

  /** Undefined for what the configuration of this process cannot express. */
  async #body(request: ModelRequest): Promise<string | undefined> {
    try {
      return await this.#deps.models.bodyOf(request);
    } catch (error) {
      if (error instanceof Fault && error.code === 'FAILED_PRECONDITION') return undefined;
      throw error;
    }
  }

  /** What is known to have changed of a request that is not the one that left. */
  async #changeOf({ turn, transcript }: Found, prompt: InspectedPrompt): Promise<UnavailableReason | undefined> {
    const isEdited = await this.#deps.store.read(async (tx) => {
      for (const { id } of transcript.messages) {
        const row = await tx.log.message(turn.sessionId, id);
        if (row !== undefined && row.revision > 1) return true;
      }
      return false;
    });
    if (isEdited) return 'MESSAGE_EDITED';
    if (transcript.surplus < 0 || transcript.isIncomplete) return 'MESSAGE_DELETED';
    if (transcript.surplus > 0) return 'MESSAGES_ADDED';
    return prompt.missingObjects > 0 ? 'OBJECT_GONE' : undefined;
  }
}

/** Rebuilds requests from what is stored; keeps parsed prompts and texts of stored outputs between calls. */
export const createStepInspector = (deps: InspectionDeps): StepInspector => new Inspector(deps);
