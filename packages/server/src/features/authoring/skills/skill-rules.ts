import type { SkillSpec } from '@svc/api/resources';
import { type FieldViolation, oversize } from '../../../base/index.ts';
import type { Finding } from '../../../resources/index.ts';

/** Most bytes of a skill's instructions as UTF-8. */
export const INSTRUCTIONS_MAX = 64 * 1024;

/** Most skills in the catalogue of an agent. */
export const CATALOGUE_MAX = 100;

/** All faults of a skill's fields; an incomplete skill is stored, but not listed. */
export const checkSkill = (spec: SkillSpec): readonly FieldViolation[] =>
  Buffer.byteLength(spec.instructions) <= INSTRUCTIONS_MAX ? [] : [oversize('spec.instructions', INSTRUCTIONS_MAX)];

/** True when description and instructions are there: only then is the skill listed and shadows others. */
export const isComplete = (spec: Pick<SkillSpec, 'description' | 'instructions'>): boolean =>
  spec.description.trim() !== '' && spec.instructions.trim() !== '';

/** Phase and condition Complete of a skill. */
export const judgeSkill = (spec: SkillSpec): { readonly phase: string; readonly findings: readonly Finding[] } => {
  if (isComplete(spec)) return { phase: 'Ready', findings: [{ type: 'Complete', status: 'True', reason: 'Complete' }] };
  const missing = spec.description.trim() === '' ? 'description' : 'instructions';
  return {
    phase: 'Degraded',
    findings: [{ type: 'Complete', status: 'False', reason: 'Incomplete', message: `${missing} is blank` }],
  };
};

/** True for the name of a skill that does not come from the store, such as `desk/refunds` of an MCP server. */
export const isOutside = (name: string): boolean => name.includes('/');
