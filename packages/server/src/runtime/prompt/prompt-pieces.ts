import type { ModelContent, ModelMessage, ModelRegistry, ModelTool } from '../../models/contract.ts';
import type {
  DroppedMessage,
  InspectedPrompt,
  ObjectAccess,
  Part,
  PromptInspector,
  RequestPiece,
} from '../contract.ts';
import type { ReplayStep } from '../history/index.ts';
import { latestUserIndex, tailStart } from './compaction-plan.ts';
import { createDrafter } from './draft-prompt.ts';
import { dropOldest } from './drop-oldest.ts';
import type { PromptDraft } from './prompt-draft.ts';
import { type CountTokens, countContent, countMessages, countTools } from './token-count.ts';
import { trimResults } from './trim-results.ts';

/** The tool whose result is a document of the knowledge base. */
const READ_DOCUMENT = 'knowledge_get';

/** Where contents come from: their part, or for a call's result also the call. */
type Parts = ReadonlyMap<ModelContent, Part>;

/** Assembles prompts once more from what is stored, and says of each piece where it comes from. */
export const createPromptInspector = (deps: {
  readonly models: Pick<ModelRegistry, 'countTokens'>;
  readonly readObject: ObjectAccess['read'];
}): PromptInspector => {
  const draftOf = createDrafter(deps.readObject);
  return async (request, { inputs, fitTo }) => {
    const parts = new Map<ModelContent, Part>();
    const draft = await draftOf(request, { inputs, trace: (content, part) => void parts.set(content, part) });
    const count: CountTokens = (text) => deps.models.countTokens(request.target, text);
    const steps = new FittedSteps(draft, { parts, count }, fitTo);
    const active = request.skills?.active ?? [];
    const fixed = [...draft.leading, ...draft.summary, ...draft.kept];
    return {
      messages: [...fixed, ...steps.fitted.flatMap((step) => step.messages)],
      tools: draft.tools,
      pieces: [
        ...draft.tools.map((tool) => toolPiece(tool, count)),
        ...draft.blocks.map(({ source, text }) => textPiece({ source, role: 'system' }, text, count)),
        ...skillPieces(draft, active, count),
        ...summaryPieces(draft, count),
        ...keptPieces(draft, count),
        ...steps.pieces(),
      ],
      dropped: [...summarised(draft), ...steps.dropped()],
      missingObjects: [...draft.objects.media.values(), ...draft.objects.texts.values()].filter(
        (it) => it === undefined,
      ).length,
    } satisfies InspectedPrompt;
  };
};

const NOWHERE = { name: '', messageId: '', partId: '' } as const;

const textPiece = (
  place: Pick<RequestPiece, 'source' | 'role'> & Partial<RequestPiece>,
  text: string,
  count: CountTokens,
): RequestPiece => ({ ...NOWHERE, content: { type: 'text', text }, tokens: count(text), ...place });

const toolPiece = (tool: ModelTool, count: CountTokens): RequestPiece => ({
  ...NOWHERE,
  source: 'tool',
  role: 'system',
  name: tool.name,
  content: { type: 'text', text: JSON.stringify(tool) },
  tokens: countTools([tool], count),
});

const firstText = ({ content }: ModelMessage): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');

/** The system message comes first in `leading` where there is one, then one message for each active skill. */
const skillPieces = (
  { leading }: PromptDraft,
  active: readonly { readonly name: string }[],
  count: CountTokens,
): readonly RequestPiece[] =>
  leading
    .slice(leading.length - active.length)
    .map((message, index) =>
      textPiece({ source: 'skill', role: 'user', name: active[index]?.name ?? '' }, firstText(message), count),
    );

const summaryPieces = ({ summary, compaction }: PromptDraft, count: CountTokens): readonly RequestPiece[] =>
  summary.map((message) =>
    textPiece({ source: 'summary', role: 'user', partId: compaction?.id ?? '' }, firstText(message), count),
  );

const keptPieces = ({ kept, keeps }: PromptDraft, count: CountTokens): readonly RequestPiece[] =>
  kept.map((message, index) =>
    textPiece(
      { source: 'kept_message', role: message.role, messageId: keeps.kept[index]?.messageId ?? '' },
      firstText(message),
      count,
    ),
  );

/** Messages that the newest summary replaces. */
const summarised = ({ compaction }: PromptDraft): readonly DroppedMessage[] => {
  const ids = compaction?.payload?.['summarised'];
  if (!Array.isArray(ids)) return [];
  return ids.map((id) => ({ messageId: String(id), reason: 'summarised', tokens: 0 }));
};

/** The transcript as it was sent: results cut and messages dropped down to `fitTo` tokens, where it was too large. */
class FittedSteps {
  readonly #draft: PromptDraft;
  readonly #parts: Parts;
  readonly #count: CountTokens;
  readonly #trimmed: readonly ReplayStep[];
  readonly fitted: readonly ReplayStep[];

  constructor(
    draft: PromptDraft,
    by: { readonly parts: Parts; readonly count: CountTokens },
    fitTo: number | undefined,
  ) {
    this.#draft = draft;
    this.#parts = by.parts;
    this.#count = by.count;
    const { count } = by;
    const { steps } = draft;
    this.#trimmed = fitTo === undefined ? steps : trimResults(steps, latestUserIndex(steps), count);
    this.fitted =
      fitTo === undefined
        ? steps
        : dropOldest(this.#trimmed, {
            keepFrom: tailStart(this.#trimmed, draft.turnId),
            excess: this.#total() - fitTo,
            count,
          });
  }

  /** Index of the first step that was not dropped. */
  get #firstKept(): number {
    return this.fitted === this.#trimmed ? 0 : this.#trimmed.length - (this.fitted.length - 1);
  }

  dropped(): readonly DroppedMessage[] {
    const tokens = new Map<string, number>();
    for (const { messageId, messages } of this.#trimmed.slice(0, this.#firstKept))
      tokens.set(messageId, (tokens.get(messageId) ?? 0) + countMessages(messages, this.#count));
    return [...tokens].map(([messageId, size]) => ({ messageId, reason: 'over_budget', tokens: size }));
  }

  pieces(): readonly RequestPiece[] {
    const first = this.#firstKept;
    const marker = first === 0 ? [] : this.fitted.slice(0, 1).flatMap((step) => this.#piecesOf(step, step));
    return [
      ...marker,
      ...this.#trimmed
        .slice(first)
        .flatMap((step, index) => this.#piecesOf(step, this.#draft.steps[first + index] ?? step)),
    ];
  }

  #total(): number {
    const { leading, summary, kept, tools } = this.#draft;
    const fixed = countMessages([...leading, ...summary, ...kept], this.#count) + countTools(tools, this.#count);
    return this.#trimmed.reduce((sum, step) => sum + countMessages(step.messages, this.#count), fixed);
  }

  /** `before`: the same step before anything was cut; contents keep their places. */
  #piecesOf(step: ReplayStep, before: ReplayStep): readonly RequestPiece[] {
    return step.messages.flatMap((message, at) =>
      message.content.map((content, index) =>
        this.#pieceOf({ step, message, content, before: before.messages[at]?.content[index] ?? content }),
      ),
    );
  }

  #pieceOf(placed: {
    readonly step: ReplayStep;
    readonly message: ModelMessage;
    readonly content: ModelContent;
    readonly before: ModelContent;
  }): RequestPiece {
    const { step, message, content, before } = placed;
    const part = this.#parts.get(before);
    const tokens = countContent(content, this.#count);
    return {
      ...this.#sourceOf(step, part, content),
      role: message.role,
      messageId: step.messageId,
      partId: part?.id ?? '',
      content,
      tokens,
      ...(part?.object === undefined ? {} : { object: part.object }),
      ...(content === before ? {} : { cut: { tokens: countContent(before, this.#count), reason: 'over_budget' } }),
    };
  }

  #sourceOf(step: ReplayStep, part: Part | undefined, content: ModelContent): Pick<RequestPiece, 'source' | 'name'> {
    if (step.messageId === '') return { source: 'omission', name: '' };
    const isAdded = content.type === 'text' && content.isAdded === true;
    if (part === undefined && step.role === 'user' && isAdded) return { source: 'post_history', name: '' };
    if (content.type !== 'result' || content.name !== READ_DOCUMENT || content.isError)
      return { source: 'transcript', name: content.type === 'call' || content.type === 'result' ? content.name : '' };
    return { source: 'knowledge', name: this.#documentOf(step, content.callId) };
  }

  /** Path that the call of a result asked for. */
  #documentOf({ messages }: ReplayStep, callId: string): string {
    for (const block of messages.flatMap(({ content }) => content))
      if (block.type === 'call' && block.callId === callId) return String(block.input['path'] ?? '');
    return '';
  }
}
