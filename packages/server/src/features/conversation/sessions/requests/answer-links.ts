import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  type CreateAnswerLinkRequest,
  type CreateAnswerLinkResponse,
  CreateAnswerLinkResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, isUuid, notFound } from '../../../../base/index.ts';
import { systemOrigin } from '../../../../controllers/contract.ts';
import { type PermissionData, parsePermission } from '../../../../runtime/contract.ts';
import type { ReadTx } from '../../../../store/contracts/index.ts';
import { lockSession, recordWrite } from '../session-access.ts';
import type { SessionsContext } from '../sessions-deps.ts';

const TOKEN_BYTES = 32;
/** 32 bytes as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** Who answered, where no one signed in. */
const DECIDER = 'link';

/** What somebody chose who followed a link. */
export interface LinkAnswer {
  readonly allow: boolean;
  readonly optionId: string;
  readonly comment: string;
  readonly value?: unknown;
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * Addresses at which one request can be answered without signing in. Only the hash of an address is stored; it counts until the
 * request is answered, by whomever, or expires.
 */
export class AnswerLinks {
  readonly #context: SessionsContext;
  readonly #limits: SessionsContext['links'];

  constructor(context: SessionsContext) {
    this.#context = context;
    this.#limits = context.links;
  }

  get isOn(): boolean {
    return this.#limits.isOn;
  }

  async create(request: CreateAnswerLinkRequest, call: CallContext): Promise<CreateAnswerLinkResponse> {
    const { requestId } = request;
    if (!this.isOn)
      throw new Fault('FAILED_PRECONDITION', 'ANSWER_LINKS_OFF', 'answer links are off; set requests.links to true');
    const token = Buffer.from(this.#limits.random.fill(new Uint8Array(TOKEN_BYTES))).toString('base64url');
    const expiresAt = await this.#context.store.write(async (tx) => {
      const session = await lockSession(tx, request, this.#context);
      const row = isUuid(requestId) ? await tx.log.permission(requestId) : undefined;
      if (row?.sessionId !== session.id)
        throw notFound('PermissionRequest', { session_id: session.id, request_id: requestId });
      if (!row.open || row.expiresAt <= tx.now()) throw closed(requestId);
      // Kept by the clock that never steps; the request itself expires by the one that people see.
      const keptUntil = tx.steadyNow() + (row.expiresAt - tx.now());
      await tx.answerLinks.insert({ tokenHash: hashOf(token), requestId, expiresAt: keptUntil });
      await recordWrite(tx, { call, names: request, outcome: 'link', turnId: row.turnId }, this.#context);
      return row.expiresAt;
    });
    const url = `${this.#limits.baseUrl()}/r/${token}`;
    return create(CreateAnswerLinkResponseSchema, { url, expiresAt: BigInt(expiresAt) });
  }

  /** The request behind a link, answered or not; NOT_FOUND for every other text. */
  async request(token: string): Promise<PermissionData> {
    return await this.#context.store.read((tx) => this.#find(tx, token));
  }

  /** Answers as the person who follows the link; PERMISSION_CLOSED when somebody was first. */
  async answer(token: string, answer: LinkAnswer): Promise<PermissionData> {
    return await this.#context.store.write(async (tx) => {
      const { id, namespace: ns, agent, sessionId, turnId } = await this.#find(tx, token);
      const names = { ns, agent, sessionId };
      const session = await lockSession(tx, names, this.#context);
      const decided = { ...answer, requestId: id, decidedBy: DECIDER };
      const result = await this.#context.lifecycle.answerPermission(tx, session, decided);
      await recordWrite(tx, { call: ORIGIN, names, turnId }, this.#context);
      return result;
    });
  }

  async #find(tx: Pick<ReadTx, 'log' | 'answerLinks'>, token: string): Promise<PermissionData> {
    const isToken = this.isOn && TOKEN.test(token);
    const now = this.#context.store.steadyNow();
    const link = isToken ? await tx.answerLinks.find(hashOf(token), now) : undefined;
    const row = link === undefined ? undefined : await tx.log.permission(link.requestId);
    if (row === undefined) throw new Fault('NOT_FOUND', 'ANSWER_LINK_NOT_FOUND', 'this link is not valid any more');
    return parsePermission(row);
  }
}

const ORIGIN = { ...systemOrigin('AnswerPermission'), caller: { identity: DECIDER } };

const closed = (requestId: string): Fault =>
  new Fault('FAILED_PRECONDITION', 'PERMISSION_CLOSED', `request ${requestId} is already closed`, {
    metadata: { request_id: requestId },
  });
