import type { SkillSpec } from '@svc/api/resources';
import { type KindContract, kindContract } from '../../../controllers/contract.ts';
import { commonStatus } from '../../../resources/index.ts';
import { checkSkill, judgeSkill } from './skill-rules.ts';

/** How skills are written. */
export const skillContract = (): KindContract =>
  kindContract<SkillSpec>({
    kind: 'Skill',
    validate: ({ spec }) => checkSkill(spec),
    observe: async (tx, write) =>
      commonStatus(write.current, judgeSkill(write.spec), { now: tx.now(), generation: write.generation }),
  });
