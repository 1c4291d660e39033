import { fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import { Fault, invalidField, parseJsonText } from '../../../base/index.ts';
import type { SystemKeys } from '../../../controllers/contract.ts';
import {
  type JsonData,
  mergePatch,
  openRecord,
  parseJsonMap,
  recordKey,
  SYSTEM_NAMESPACE,
  type ValueSeal,
} from '../../../resources/index.ts';
import type { ReadTx } from '../../../store/contracts/index.ts';
import {
  isAgentTemplate,
  TEMPLATE_ANNOTATION,
  TEMPLATE_UID_ANNOTATION,
  TEMPLATE_VERSION_ANNOTATION,
} from './agent-findings.ts';

export interface TemplatedSpec {
  readonly spec: AgentSpec;
  readonly system: SystemKeys;
}

/**
 * The spec of a template of agents in `system`, patched with what is set in the given spec: set fields replace, maps merge by
 * key, lists are replaced whole, nothing is cleared. Throws REFERENCE_MISSING.
 */
export const mergeTemplate = async (
  reads: Pick<ReadTx, 'resources'>,
  wanted: { readonly template: string; readonly spec?: AgentSpec | undefined },
  seal: Pick<ValueSeal, 'open'>,
): Promise<TemplatedSpec> => {
  const { template: name, spec } = wanted;
  const record = await reads.resources.get(recordKey('Template', SYSTEM_NAMESPACE, name));
  if (record === undefined || !isAgentTemplate(record.spec))
    throw new Fault('FAILED_PRECONDITION', 'REFERENCE_MISSING', `agent template does not exist: ${name}`, {
      metadata: { template: name },
    });
  const text = parseJsonMap(openRecord(record, seal).spec)?.['specJson'];
  const base = toJson(AgentSpecSchema, parseTemplate(typeof text === 'string' && text !== '' ? text : '{}'));
  const patch = spec === undefined ? {} : toJson(AgentSpecSchema, spec);
  return {
    spec: fromJson(AgentSpecSchema, mergePatch(base as JsonData, patch as JsonData) as JsonValue),
    system: {
      annotations: {
        [TEMPLATE_ANNOTATION]: name,
        [TEMPLATE_VERSION_ANNOTATION]: String(record.generation),
        [TEMPLATE_UID_ANNOTATION]: record.uid,
      },
    },
  };
};

const parseTemplate = (text: string): AgentSpec => {
  try {
    return fromJson(AgentSpecSchema, parseJsonText(text) as JsonValue);
  } catch {
    throw invalidField('template', 'the template holds no agent spec', 'TEMPLATE_INVALID');
  }
};
