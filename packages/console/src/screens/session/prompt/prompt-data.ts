import type { StepPiece } from '@svc/api/data';
import type { GetStepRequestResponse } from '@svc/api/gateway';
import type { Client, SessionKey } from '@svc/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRead } from '../../../api/use-call.ts';
import type { StepAddress } from './step-address.ts';

/** Pages of 200 pieces that are read of one request. */
const MOST_PAGES = 25;

/** A request of a model with its pieces. */
export interface Prompt {
  /** The first page, with what is known of the whole. */
  readonly about: GetStepRequestResponse;
  readonly pieces: readonly StepPiece[];
  /** More pieces than are read. */
  readonly isCut: boolean;
}

const readPrompt = async (client: Client, address: StepAddress, signal: AbortSignal): Promise<Prompt> => {
  const { session, turnId, step, compaction } = address;
  const request = { ...session, turnId, step, compaction };
  const about = await client.sessionControl.getStepRequest(request, { signal });
  const pieces = Array.from(about.pieces);
  let pageToken = about.nextPageToken;
  for (let page = 1; page < MOST_PAGES && pageToken !== ''; page += 1) {
    const next = await client.sessionControl.getStepRequest({ ...request, pageToken }, { signal });
    pieces.push(...next.pieces);
    pageToken = next.nextPageToken;
  }
  return { about, pieces, isCut: pageToken !== '' };
};

/** What the model saw at a step. */
export const usePrompt = (address: StepAddress): UseQueryResult<Prompt> =>
  useRead({ key: ['prompt', address], call: (client, signal) => readPrompt(client, address, signal) });

/** The request before: the step before, or the last one of the turn before; undefined when there is none. */
export const usePromptBefore = (address: StepAddress): UseQueryResult<Prompt | null> =>
  useRead({
    key: ['prompt before', address],
    call: async (client, signal) => {
      const before = await stepBefore(client, address, signal);
      return before === undefined ? null : readPrompt(client, before, signal);
    },
  });

const stepBefore = async (
  client: Client,
  { session, turnId, step }: StepAddress,
  signal: AbortSignal,
): Promise<StepAddress | undefined> => {
  // Those of compactions are left out: they are sent something else.
  if (step > 1) return { session, turnId, step: step - 1, compaction: 0 };
  const before = await turnBefore(client, { session, turnId }, signal);
  if (before === undefined) return undefined;
  const { steps } = await client.sessionControl.listSteps({ ...session, turnId: before }, { signal });
  const last = steps.findLast(({ compaction }) => compaction === 0);
  return last === undefined ? undefined : { session, turnId: before, step: last.step, compaction: 0 };
};

const turnBefore = async (
  client: Client,
  { session, turnId }: { readonly session: SessionKey; readonly turnId: string },
  signal: AbortSignal,
): Promise<string | undefined> => {
  const { turns } = await client.sessionControl.listTurns(session, { signal });
  const at = turns.findIndex(({ id }) => id === turnId);
  return at === -1 ? undefined : turns[at + 1]?.id;
};
