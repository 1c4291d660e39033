import type { ModelContent, ModelMessage, ModelRegistry, ModelTool } from '../../models/contract.ts';
import type {
  DroppedMessage,
  HarnessAsk,
  InspectedPrompt,
  KeptMessage,
  ObjectAccess,
  Part,
  PromptForm,
  PromptInspector,
  PromptRequest,
  RequestPiece,
  SummaryFit,
} from '../contract.ts';
import { latestUserIndex, summaryAsk, tailStart } from './compaction-plan.ts';
import { createDrafter } from './draft-prompt.ts';
import { dropOldest } from './drop-oldest.ts';
import { harnessPrompt, leadingCount } from './harness-prompt.ts';
import { keptMessages } from './leading-messages.ts';
import { type PlacedMessage, PlacedSteps, type SentSteps } from './placed-steps.ts';
import type { PromptDraft } from './prompt-draft.ts';
import { type CountTokens, countMessages, countTools } from './token-count.ts';
import { trimResults } from './trim-results.ts';

/** Assembles prompts once more from what is stored, and says of each piece where it comes from. */
export const createPromptInspector = (deps: {
  readonly models: Pick<ModelRegistry, 'countTokens'>;
  readonly readObject: ObjectAccess['read'];
}): PromptInspector => {
  const draftOf = createDrafter(deps.readObject);
  return async (request, form) => {
    const parts = new Map<ModelContent, Part>();
    const draft = await draftOf(request, {
      inputs: form.inputs,
      trace: (content, part) => void parts.set(content, part),
    });
    const count: CountTokens = (text) => deps.models.countTokens(request.target, text);
    return new Inspection({ request, draft, parts, count }).as(form);
  };
};

/** Whose a block of the system message is, where it is not the agent's. */
const blockName = (source: RequestPiece['source'], { agent }: PromptRequest): string =>
  source === 'system_prompt' ? (agent.promptOf ?? '') : '';

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

const textOf = ({ content }: ModelMessage): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');

/** Messages that the newest summary replaces. */
const summarised = ({ compaction }: PromptDraft): readonly DroppedMessage[] => {
  const ids = compaction?.payload?.['summarised'];
  if (!Array.isArray(ids)) return [];
  return ids.map((id) => ({ messageId: String(id), reason: 'summarised', tokens: 0 }));
};

/** What one prompt is assembled from. */
interface Assembled {
  readonly request: PromptRequest;
  readonly draft: PromptDraft;
  readonly parts: ReadonlyMap<ModelContent, Part>;
  readonly count: CountTokens;
}

/** One prompt that is assembled once more. */
class Inspection {
  readonly #of: Assembled;

  constructor(of: Assembled) {
    this.#of = of;
  }

  as({ fitTo, summary, harness }: PromptForm): InspectedPrompt {
    if (summary !== undefined) return this.#summary(summary);
    return harness === undefined ? this.#answer(fitTo) : this.#harness(fitTo, harness);
  }

  #answer(fitTo: number | undefined): InspectedPrompt {
    const { draft, count } = this.#of;
    const steps = this.#steps(this.#sentSteps(fitTo));
    const placed = [...this.#opening(), ...this.#kept(draft.keeps.kept), ...steps.messages()];
    return {
      ...this.#prompt(placed, steps),
      tools: draft.tools,
      pieces: [...draft.tools.map((tool) => toolPiece(tool, count)), ...placed.flatMap(({ pieces }) => pieces)],
    };
  }

  #summary({ effective, isTrimmed }: SummaryFit): InspectedPrompt {
    const { draft, count } = this.#of;
    const cut = isTrimmed ? trimResults(draft.steps, latestUserIndex(draft.steps), count) : draft.steps;
    const ask = summaryAsk({ ...draft, steps: cut }, { effective, count });
    if (ask === undefined) return this.#prompt([], this.#steps({ source: [], trimmed: [], fitted: [] }));
    const { goes, question, trimmed, fitted } = ask;
    const before = new Map(cut.map((step, index) => [step, draft.steps[index] ?? step]));
    const source = ask.source.map((step) => before.get(step) ?? step);
    const steps = this.#steps({ source, trimmed, fitted });
    const isSkill = ({ pieces }: PlacedMessage): boolean => pieces.some((piece) => piece.source === 'skill');
    const asked = textPiece({ source: 'instruction', role: 'user' }, textOf(question), count);
    return this.#prompt(
      [
        ...this.#opening().filter((placed) => !isSkill(placed)),
        ...this.#kept(goes),
        ...steps.messages(),
        { message: question, pieces: [asked] },
      ],
      steps,
    );
  }

  #harness(fitTo: number | undefined, { isLoaded, isReset, isBare }: HarnessAsk): InspectedPrompt {
    const { draft, request, count } = this.#of;
    const steps = this.#steps(this.#sentSteps(fitTo));
    const planned =
      isBare || isLoaded ? [] : [...this.#opening(), ...this.#kept(draft.keeps.kept), ...steps.messages()];
    const messages = planned.map(({ message }) => message);
    const { text, pieces } = harnessPrompt({
      planned: isLoaded ? undefined : messages,
      transcript: request.transcript,
      turnId: request.turnId,
      isReset,
      countTokens: count,
    });
    const leading = planned.slice(0, leadingCount(messages)).flatMap((placed) => placed.pieces);
    const told = pieces.map(({ text: said, ...place }) => textPiece(place, said, count));
    return {
      ...this.#prompt([], steps),
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      pieces: [...leading, ...told],
      dropped: [],
    };
  }

  /** A request without tools. */
  #prompt(placed: readonly PlacedMessage[], steps: PlacedSteps): InspectedPrompt {
    const { draft } = this.#of;
    const { media, texts } = draft.objects;
    return {
      messages: placed.map(({ message }) => message),
      tools: [],
      pieces: placed.flatMap(({ pieces }) => pieces),
      dropped: [...summarised(draft), ...steps.dropped()],
      missingObjects: [...media.values(), ...texts.values()].filter((it) => it === undefined).length,
    };
  }

  #steps(sent: SentSteps): PlacedSteps {
    return new PlacedSteps(sent, this.#of);
  }

  /** The transcript as it was sent: results cut and messages dropped down to `fitTo` tokens, where it was too large. */
  #sentSteps(fitTo: number | undefined): SentSteps {
    const { draft, count } = this.#of;
    const { steps: source, leading, summary, kept, tools } = draft;
    if (fitTo === undefined) return { source, trimmed: source, fitted: source };
    const trimmed = trimResults(source, latestUserIndex(source), count);
    const fixed = countMessages([...leading, ...summary, ...kept], count) + countTools(tools, count);
    const total = trimmed.reduce((sum, step) => sum + countMessages(step.messages, count), fixed);
    const keepFrom = tailStart(trimmed, draft.turnId);
    return { source, trimmed, fitted: dropOldest(trimmed, { keepFrom, excess: total - fitTo, count }) };
  }

  /** The system message where there is one, a message for each active skill, the summary. */
  #opening(): readonly PlacedMessage[] {
    const { draft, request, count } = this.#of;
    const active = request.skills?.active ?? [];
    const skills = draft.leading.slice(draft.leading.length - active.length);
    return [
      ...draft.leading.slice(0, draft.leading.length - active.length).map((message) => ({
        message,
        pieces: draft.blocks.map(({ source, text }) =>
          textPiece({ source, role: 'system', name: blockName(source, request) }, text, count),
        ),
      })),
      ...skills.map((message, index) =>
        this.#whole(message, { source: 'skill', role: 'user', name: active[index]?.name ?? '' }),
      ),
      ...draft.summary.map((message) =>
        this.#whole(message, { source: 'summary', role: 'user', partId: draft.compaction?.id ?? '' }),
      ),
    ];
  }

  #kept(kept: readonly KeptMessage[]): readonly PlacedMessage[] {
    return keptMessages(kept).map((message, index) =>
      this.#whole(message, { source: 'kept_message', role: message.role, messageId: kept[index]?.messageId ?? '' }),
    );
  }

  #whole(message: ModelMessage, place: Parameters<typeof textPiece>[0]): PlacedMessage {
    return { message, pieces: [textPiece(place, textOf(message), this.#of.count)] };
  }
}
