const PROBE_TOKENS = 16;

/** A model, by its provider. */
interface Target {
  readonly provider: string;
  readonly model: string;
}

/** As much of a call of a model as a probe needs. */
interface ProbeRequest {
  readonly target: Target;
  readonly messages: readonly [
    { readonly role: 'user'; readonly content: readonly [{ readonly type: 'text'; readonly text: string }] },
  ];
  readonly tools: readonly [];
  readonly maxOutputTokens: number;
  readonly namespace: string;
  readonly turnId: string;
  readonly callNumber: number;
}

/** A piece of an answer, or how the call failed. */
type ProbeChunk = { readonly type: 'error'; readonly error: { readonly sentence: string } } | { readonly type: string };

/** Models as far as they are tried; the registry of models satisfies it. */
export interface ProbedModels {
  readonly defaultTarget: Target;
  stream(request: ProbeRequest, receive: (chunk: ProbeChunk) => void, signal: AbortSignal): Promise<unknown>;
}

/** Asks the default model for a few tokens; answers the sentence of its failure. */
export const probe = async (models: ProbedModels, signal: AbortSignal): Promise<string | undefined> => {
  let problem: string | undefined;
  await models.stream(
    {
      target: models.defaultTarget,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Answer with one word.' }] }],
      tools: [],
      maxOutputTokens: PROBE_TOKENS,
      namespace: 'system',
      turnId: 'doctor',
      callNumber: 1,
    },
    (chunk) => {
      if ('error' in chunk) problem = chunk.error.sentence;
    },
    signal,
  );
  return problem;
};
