import { create, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { type ResourceMeta, type TemplateSpec, TemplateSpecSchema } from '@svc/api/resources';
import type { FieldViolation } from '../../../base/index.ts';
import type { KindContract } from '../../../controllers/contract.ts';
import {
  canonicalJson,
  checkAnnotations,
  checkLabels,
  checkSystemKeys,
  findKind,
  isName,
  type JsonData,
  type JsonMap,
  type KindRow,
  type LabelLimits,
  nameForm,
  parentInSpec,
  parseJsonMap,
  recordKey,
  SYSTEM_NAMESPACE,
} from '../../../resources/index.ts';
import { type ShapeProblem, shapeProblems } from '../../../resources/manifest/index.ts';
import { fieldPointer } from '../../../resources/merge/index.ts';
import type { PromptCheck } from '../../../runtime/contract.ts';
import { type DryRendering, dryRender } from './dry-rendering.ts';

export interface TemplateRuleDeps {
  /** Rules of the kind a template holds; undefined for one without. */
  readonly contractOf: (kind: string) => KindContract | undefined;
  readonly promptCheck: PromptCheck;
  /** Of what is rendered, as of every other resource. */
  readonly labelLimits: LabelLimits;
}

export interface TemplateSubject {
  readonly namespace: string;
  readonly name: string;
  readonly spec: TemplateSpec;
}

/** The spec with its JSON in canonical form, an absent one as `{}`; JSON that is not an object stays for the rules. */
export const fillTemplateDefaults = (spec: TemplateSpec): TemplateSpec => {
  const map = parseJsonMap(spec.specJson === '' ? '{}' : spec.specJson);
  if (map === undefined) return spec;
  const specJson = canonicalJson(map);
  return specJson === spec.specJson ? spec : create(TemplateSpecSchema, { ...spec, specJson });
};

const invalid = (field: string, description: string): FieldViolation => ({
  field,
  description,
  reason: 'TEMPLATE_INVALID',
});

/** All faults of a template. Agent templates of `system` need not be complete agents. */
export const checkTemplate = (subject: TemplateSubject, deps: TemplateRuleDeps): readonly FieldViolation[] => {
  const { spec } = subject;
  const row = findKind(spec.kind);
  if (row === undefined || !row.inTemplates) return [invalid('spec.kind', 'is not a kind that a template can hold')];
  const map = parseJsonMap(spec.specJson);
  const metadata = checkMetadata(row, spec.metadata, deps.labelLimits);
  if (map === undefined) return [...metadata, invalid('spec.specJson', 'must be a JSON object')];
  const rendered = dryRender(row.kind, row.spec, map);
  const problems = [...rendered.problems, ...shapeProblems(row.spec, rendered.value)];
  return [
    ...metadata,
    ...problems.map(atPointer),
    ...(problems.length > 0 ? [] : checkRules({ row, rendered, subject }, deps)),
  ];
};

const atPointer = ({ pointer, message }: ShapeProblem): FieldViolation =>
  invalid('spec.specJson', `${pointer === '' ? '/' : pointer}: ${message}`);

/** Name, labels and annotations of what is rendered; nothing else may be said about it. */
const checkMetadata = (
  row: KindRow,
  metadata: ResourceMeta | undefined,
  limits: LabelLimits,
): readonly FieldViolation[] => {
  if (metadata === undefined) return [];
  const { name, labels, annotations } = metadata;
  const rendered = dryRender('', undefined, { name, labels, annotations } as JsonMap);
  const shown = rendered.value as { name: string; labels: Record<string, string>; annotations: Record<string, string> };
  const isNameOpen = rendered.open.has('name');
  return [
    ...otherMetadata(metadata),
    ...(name === '' || isNameOpen || isName(row.names, shown.name)
      ? []
      : [invalid('spec.metadata.name', `must be ${nameForm[row.names]}`)]),
    ...rendered.problems.map(({ pointer, message }) => invalid('spec.metadata', `${pointer}: ${message}`)),
    ...checkLabels(texts(shown.labels), 'spec.metadata.labels', limits),
    ...checkSystemKeys({}, labels, 'spec.metadata.labels'),
    ...checkAnnotations(texts(shown.annotations), 'spec.metadata.annotations', limits),
    ...checkSystemKeys({}, annotations, 'spec.metadata.annotations'),
  ];
};

/** Values of labels are texts whatever an expression yields. */
const texts = (map: Readonly<Record<string, JsonData>>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, String(value)]));

const otherMetadata = (metadata: ResourceMeta): readonly FieldViolation[] => {
  const others: Readonly<Record<string, boolean>> = {
    namespace: metadata.namespace !== '',
    ownerReferences: metadata.ownerReferences.length > 0,
    finalizers: metadata.finalizers.length > 0,
    generation: metadata.generation !== 0n,
    resourceVersion: metadata.resourceVersion !== '',
    uid: metadata.uid !== '',
    deletionTimestamp: metadata.deletionTimestamp !== undefined,
  };
  return Object.entries(others)
    .filter(([, isSet]) => isSet)
    .map(([member]) => invalid(`spec.metadata.${member}`, 'only name, labels and annotations are allowed here'));
};

interface Judged {
  readonly row: KindRow;
  readonly rendered: DryRendering;
  readonly subject: TemplateSubject;
}

/** The rules of the kind itself, on the dry rendering. */
const checkRules = (judged: Judged, deps: TemplateRuleDeps): readonly FieldViolation[] => {
  const { row, rendered, subject } = judged;
  if (row.kind === 'Agent' && subject.namespace === SYSTEM_NAMESPACE) return checkPrompts(rendered.value, deps);
  const contract = deps.contractOf(row.kind);
  if (contract === undefined) return [];
  const given = fromJson(row.spec, rendered.value as JsonValue);
  const named = subject.spec.metadata?.name ?? '';
  const name = named === '' ? (contract.derivedName?.(given) ?? subject.name) : named;
  const parent = parentInSpec(row, rendered.value);
  const key = { ...recordKey(row.kind, subject.namespace, name), parent };
  const faults = contract.validate({
    key,
    spec: contract.defaults?.(given, key) ?? given,
    labels: {},
    annotations: {},
    current: undefined,
    generation: 1,
    isSpecChanged: true,
  });
  return faults
    .filter((fault) => !rendered.open.has(fault.field.replace(/^spec\./, '')))
    .map((fault) =>
      atPointer({ pointer: fieldPointer(fault.field.replace(/^spec\.?/, '')), message: fault.description }),
    );
};

const checkPrompts = (value: JsonMap, deps: TemplateRuleDeps): readonly FieldViolation[] =>
  ['systemPrompt', 'postHistoryPrompt'].flatMap((member) => {
    const text = value[member];
    if (typeof text !== 'string') return [];
    return deps
      .promptCheck(text)
      .map(({ line, column, message }) =>
        atPointer({ pointer: `/${member}`, message: `line ${line}, column ${column}: ${message}` }),
      );
  });
