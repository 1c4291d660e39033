import { create, toBinary } from '@bufbuild/protobuf';
import { type StepPiece, StepPieceSchema } from '@svc/api/data';
import {
  type GetStepRequestRequest,
  type GetStepRequestResponse,
  GetStepRequestResponseSchema,
  type ListStepsRequest,
  type ListStepsResponse,
  ListStepsResponseSchema,
} from '@svc/api/gateway';
import { decodePageToken, encodePageToken, isUuid, notFound, pageSize, placeNumber } from '../../../../base/index.ts';
import { addUsage, type RebuiltRequest, type RequestPiece, type TurnUsage } from '../../../../runtime/contract.ts';
import type { TurnRow } from '../../../../store/contracts/index.ts';
import { readSession, type SessionNames } from '../session-access.ts';
import type { SessionsContext } from '../sessions-deps.ts';
import { tokenCounter } from '../wire/index.ts';
import { cachedShare } from './cached-share.ts';
import { omissionMessage, pieceMessage, stateFields, stepMessage } from './step-messages.ts';

type Context = Pick<SessionsContext, 'store' | 'steps' | 'limits'>;
type Page = Pick<GetStepRequestResponse, 'pieces' | 'nextPageToken'>;

/** Model calls of turns and prompts of harnesses, and what each was sent. */
export class StepService {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async list(request: ListStepsRequest): Promise<ListStepsResponse> {
    const facts = await this.#context.steps.list(await this.#turn(request));
    let usage: TurnUsage | undefined;
    for (const step of facts) if (step.usage !== undefined) usage = addUsage(usage, step.usage);
    return create(ListStepsResponseSchema, {
      steps: facts.map(stepMessage),
      ...(usage === undefined ? {} : { usage: tokenCounter(usage) }),
      modelMs: BigInt(facts.reduce((sum, { record }) => sum + (record?.durationMs ?? 0), 0)),
    });
  }

  async request(request: GetStepRequestRequest): Promise<GetStepRequestResponse> {
    const { sessionId, turnId, step, compaction } = request;
    const question = ['step-pieces', sessionId, turnId, String(step), String(compaction)];
    const [place] = decodePageToken(request.pageToken, question) ?? [];
    const first = place === undefined ? 0 : placeNumber(place);
    const limit = pageSize(request.pageSize);
    const found = await this.#context.steps.rebuild(await this.#turn(request), { step, summary: compaction });
    if (found === undefined) {
      const named = { session_id: sessionId, turn_id: turnId, step: String(step) };
      throw notFound('Step', compaction === 0 ? named : { ...named, compaction: String(compaction) });
    }
    const { facts, request: rebuilt } = found;
    const answer = { step: stepMessage(facts), ...stateFields(rebuilt) };
    if (rebuilt.state === 'unavailable') return create(GetStepRequestResponseSchema, answer);
    const { pieces, dropped } = rebuilt.prompt;
    const shares = cachedShare(pieces, facts.usage);
    return create(GetStepRequestResponseSchema, {
      ...answer,
      ...this.#page(pieces, shares, { first, limit, question }),
      omissions: first === 0 ? dropped.map(omissionMessage) : [],
      tokens: BigInt(pieces.reduce((sum, { tokens }) => sum + tokens, 0)),
      ...(request.includeBody && first === 0 ? this.#body(rebuilt) : {}),
    });
  }

  async #turn({ turnId, ...names }: SessionNames & { readonly turnId: string }): Promise<TurnRow> {
    return await this.#context.store.read(async (tx) => {
      const session = await readSession(tx, names);
      const turn = isUuid(turnId) ? await tx.log.turn(turnId) : undefined;
      if (turn?.sessionId !== session.id) throw notFound('Turn', { session_id: session.id, turn_id: turnId });
      return turn;
    });
  }

  /** At least one piece, and no more than an answer may hold. */
  #page(
    pieces: readonly RequestPiece[],
    shares: readonly number[],
    at: { readonly first: number; readonly limit: number; readonly question: readonly string[] },
  ): Page {
    const shown: StepPiece[] = [];
    let bytes = 0;
    for (const [index, piece] of pieces.slice(at.first, at.first + at.limit).entries()) {
      const message = pieceMessage(piece, shares[at.first + index] ?? 0);
      bytes += toBinary(StepPieceSchema, message).length;
      if (shown.length > 0 && bytes > this.#context.limits.responseBytes) break;
      shown.push(message);
    }
    const next = at.first + shown.length;
    return { pieces: shown, nextPageToken: next < pieces.length ? encodePageToken(at.question, [String(next)]) : '' };
  }

  #body({
    body,
  }: Extract<RebuiltRequest, { readonly body: string }>): { readonly body: string } | { readonly bodyOmitted: true } {
    return Buffer.byteLength(body) > this.#context.limits.responseBytes ? { bodyOmitted: true } : { body };
  }
}
