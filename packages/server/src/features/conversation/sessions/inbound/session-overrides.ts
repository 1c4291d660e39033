import type { SessionOverrides as OverridesMessage } from '@svc/api/data';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, type FieldViolation, isLongerThan, oversize, violation } from '../../../../base/index.ts';
import { recordKey } from '../../../../resources/index.ts';
import type { SessionOverrides } from '../../../../runtime/contract.ts';
import type { SessionRow, WriteTx } from '../../../../store/contracts/index.ts';
import type { SessionsContext } from '../sessions-deps.ts';

/** Annotation of an agent: `operator` where operators, too, may have sessions run with something else than it says. */
const OVERRIDES_OPTION = 'option.svc/overrides';
const MODEL_CHARS = 512;
/** The prompt is kept with the session, which each of its turns writes. */
const PROMPT_BYTES = 65_536;

/** The overrides of a request: only what it sets. */
export const overridesOf = (message: OverridesMessage | undefined): SessionOverrides => {
  const { provider, model, temperature, systemPrompt } = message ?? {};
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  };
};

/** All faults of overrides: a model that no configured provider has, a temperature out of range, a prompt that cannot be rendered. */
export const checkOverrides = (
  { provider, model, temperature, systemPrompt = '' }: SessionOverrides,
  { models, promptCheck }: Pick<SessionsContext, 'models' | 'promptCheck'>,
): readonly FieldViolation[] => {
  const at = 'overrides';
  const wanted = provider === undefined || provider === '' ? models.defaultTarget.provider : provider;
  return [
    ...(provider !== undefined && model === undefined ? [violation(`${at}.model`, 'is required with a provider')] : []),
    ...(model === '' || isLongerThan(model ?? '', MODEL_CHARS)
      ? [violation(`${at}.model`, `must have 1 to ${MODEL_CHARS} characters`)]
      : []),
    ...(model === undefined || models.hasProvider(wanted)
      ? []
      : [violation(`${at}.provider`, `no such provider; there are ${models.providerNames.join(', ')}`)]),
    ...(temperature === undefined || (temperature >= 0 && temperature <= 2)
      ? []
      : [violation(`${at}.temperature`, 'must lie between 0 and 2')]),
    ...checkPrompt(systemPrompt, `${at}.systemPrompt`, promptCheck),
  ];
};

const checkPrompt = (
  text: string,
  field: string,
  promptCheck: SessionsContext['promptCheck'],
): readonly FieldViolation[] => {
  if (text === '') return [];
  if (Buffer.byteLength(text) > PROMPT_BYTES) return [oversize(field, PROMPT_BYTES)];
  return promptCheck(text).map(({ line, column, message }) =>
    violation(field, `line ${line}, column ${column}: ${message}`, 'TEMPLATE_INVALID'),
  );
};

/**
 * Refuses overrides of a caller who may not change the agent, unless the agent lets operators, and overrides of an agent that an external
 * program runs, which takes none. The caller is known to be an operator.
 */
export const requireOverriding = async (
  tx: Pick<WriteTx, 'resources'>,
  { session, call }: { readonly session: Pick<SessionRow, 'namespace' | 'agent'>; readonly call: CallContext },
  { agents, authorizer }: Pick<SessionsContext, 'agents' | 'authorizer'>,
): Promise<void> => {
  const { namespace, agent } = session;
  const record = await tx.resources.get(recordKey('Agent', namespace, agent));
  const isOpen = record?.annotations[OVERRIDES_OPTION] === 'operator';
  if (!isOpen && !authorizer.allows(call.caller, 'admin', { namespace, agent }))
    throw new Fault(
      'PERMISSION_DENIED',
      'OVERRIDES_NOT_ALLOWED',
      `only an admin of agent ${agent} may have a session run with something else than it says; ${OVERRIDES_OPTION}: operator on the agent lets operators`,
    );
  const revision = await agents.current(tx, namespace, agent);
  if (revision?.spec.runtime?.kind === 'acp')
    throw new Fault(
      'FAILED_PRECONDITION',
      'RUNTIME_EXTERNAL',
      `agent ${agent} is run by an external program, which takes neither model nor prompt from svc`,
    );
};
