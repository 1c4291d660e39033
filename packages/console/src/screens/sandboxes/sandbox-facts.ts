import type { Resource, SandboxClassSpec, SandboxPolicySpec, SandboxSpec, SandboxStatus } from '@svc/api/resources';

/** The status of a sandbox; undefined for other kinds. */
export const sandboxStatusOf = ({ status }: Resource): SandboxStatus | undefined =>
  status?.kind.case === 'sandbox' ? status.kind.value : undefined;

export const sandboxOf = ({ spec }: Resource): SandboxSpec | undefined =>
  spec?.kind.case === 'sandbox' ? spec.kind.value : undefined;

export const policyOf = ({ spec }: Resource): SandboxPolicySpec | undefined =>
  spec?.kind.case === 'sandboxPolicy' ? spec.kind.value : undefined;

export const classOf = ({ spec }: Resource): SandboxClassSpec | undefined =>
  spec?.kind.case === 'sandboxClass' ? spec.kind.value : undefined;
