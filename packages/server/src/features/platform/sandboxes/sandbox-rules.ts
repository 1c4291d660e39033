import type {
  ResourceRef,
  SandboxClassSpec,
  SandboxPolicySpec,
  SandboxRuntimeTemplateSpec,
  SandboxSpec,
} from '@svc/api/resources';
import { type FieldViolation, violation } from '../../../base/index.ts';
import { parseJsonMap } from '../../../resources/index.ts';
import type { SettingProblem } from '../../../sandbox/contract.ts';
import { isNormalPath, mountPathProblem } from './mount-path-rules.ts';
import type { ProviderChoice } from './providers/index.ts';
import { checkClassConfig } from './sandbox-plan-rules.ts';
import { choiceOf } from './sandbox-resolution.ts';

/** Providers that a class may name. */
const PROVIDERS: readonly string[] = ['local', 'docker', 'e2b', 'daytona', 'demo'];

/** All faults of a class; `configProblems`: those of what its provider defines itself. */
export const checkSandboxClass = (
  namespace: string,
  spec: SandboxClassSpec,
  configProblems: (choice: ProviderChoice) => readonly SettingProblem[],
): readonly FieldViolation[] => [
  ...(PROVIDERS.includes(spec.provider) ? [] : [violation('spec.provider', `must be one of ${PROVIDERS.join(', ')}`)]),
  ...checkJsonObject(spec.providerConfigJson, 'spec.providerConfigJson'),
  ...checkClassConfig(parseJsonMap(spec.providerConfigJson) ?? {}, 'spec.providerConfigJson'),
  ...configProblems(choiceOf(namespace, spec)).map(({ field, problem }) => violation(`spec.${field}`, problem)),
  ...checkJsonObject(spec.credentialsJson, 'spec.credentialsJson'),
];

const checkJsonObject = (text: string, field: string): readonly FieldViolation[] =>
  text === '' || parseJsonMap(text) !== undefined ? [] : [violation(field, 'must be a JSON object')];

/** Where a reference to a class may point: the own namespace, an ancestor, or `system`; '' searches them. */
export interface ClassScope {
  readonly visible: readonly string[];
}

/** All faults of a policy. */
export const checkSandboxPolicy = (spec: SandboxPolicySpec, scope: ClassScope): readonly FieldViolation[] => [
  ...checkClassRef(spec.classRef, scope),
  ...checkRuntimeTemplate(spec.template, 'spec.template'),
];

/** All faults of a sandbox: a policy or a class says what it is. */
export const checkSandbox = (spec: SandboxSpec, scope: ClassScope): readonly FieldViolation[] => [
  ...(spec.policyRef === '' && (spec.classRef?.name ?? '') === ''
    ? [violation('spec.policyRef', 'policyRef or classRef is required')]
    : []),
  ...(spec.classRef === undefined ? [] : checkClassRef(spec.classRef, scope)),
  ...checkRuntimeTemplate(spec.runtimeTemplate, 'spec.runtimeTemplate'),
];

const checkClassRef = (reference: ResourceRef | undefined, scope: ClassScope): readonly FieldViolation[] => {
  const { name = '', namespace = '' } = reference ?? {};
  return [
    ...(name === '' ? [violation('spec.classRef.name', 'is required')] : []),
    ...(namespace === '' || scope.visible.includes(namespace)
      ? []
      : [violation('spec.classRef.namespace', 'must be this namespace, an ancestor or system')]),
  ];
};

const checkRuntimeTemplate = (
  template: SandboxRuntimeTemplateSpec | undefined,
  at: string,
): readonly FieldViolation[] => {
  const problem = mountPathProblem(template?.workspace?.mountPath ?? '');
  const paths = (list: readonly string[], field: string): readonly FieldViolation[] =>
    list.flatMap((path, index) =>
      isNormalPath(path)
        ? []
        : [violation(`${at}.filesystem.${field}[${index}]`, 'must be an absolute, normalised path')],
    );
  const blank = (list: readonly string[], field: string): readonly FieldViolation[] =>
    list.flatMap((text, index) =>
      text.trim() === '' ? [violation(`${at}.setup.${field}[${index}]`, 'must not be blank')] : [],
    );
  return [
    ...(problem === '' ? [] : [violation(`${at}.workspace.mountPath`, problem, 'MOUNT_PATH')]),
    ...paths(template?.filesystem?.writable ?? [], 'writable'),
    ...paths(template?.filesystem?.readonly ?? [], 'readonly'),
    ...blank(template?.setup?.packages ?? [], 'packages'),
    ...blank(template?.setup?.commands ?? [], 'commands'),
  ];
};

const MODES = {
  lease: ['', 'session', 'exclusive', 'turn', 'pool'],
  workspace: ['', 'ephemeral', 'persistent'],
  network: ['', 'restricted', 'none', 'open', 'host'],
} as const;

/** Modes with unknown text, which act as the first of their list. */
export const unknownModes = (template: SandboxRuntimeTemplateSpec | undefined): readonly string[] => {
  const given: readonly (readonly [keyof typeof MODES, string, string])[] = [
    ['lease', 'leasePolicy.mode', template?.leasePolicy?.mode ?? ''],
    ['workspace', 'workspace.mode', template?.workspace?.mode ?? ''],
    ['network', 'network.mode', template?.network?.mode ?? ''],
  ];
  return given
    .filter(([mode, , text]) => !(MODES[mode] as readonly string[]).includes(text))
    .map(([mode, field, text]) => `${field} "${text.slice(0, 40)}" acts as ${MODES[mode][1]}`);
};
