import { Fault } from '../../base/index.ts';
import type { Store } from '../../store/contracts/index.ts';
import type { SkillBook } from '../../tools/skill-contract.ts';
import { parseSide } from '../record/index.ts';
import { lockedSession } from './locked-session.ts';

/** Active skills over the session row: they live and die with the session's side state. Writes lock the session first. */
export const createSessionSkills = (store: Pick<Store, 'direct' | 'write'>): SkillBook => {
  const change = (
    sessionId: string,
    next: (skills: readonly string[]) => readonly string[],
  ): Promise<readonly string[]> =>
    store.write(async (tx) => {
      const session = await lockedSession(tx, sessionId);
      const side = parseSide(session);
      const skills = next(side.skills);
      if (skills !== side.skills) await tx.log.saveSession({ ...session, body: JSON.stringify({ ...side, skills }) });
      return skills;
    });
  return {
    active: async (sessionId) => {
      const session = await store.direct.log.session(sessionId);
      return session === undefined ? [] : parseSide(session).skills;
    },
    activate: (sessionId, name, max) =>
      change(sessionId, (skills) => {
        if (skills.includes(name)) return skills;
        if (skills.length >= max)
          throw new Fault('RESOURCE_EXHAUSTED', 'SKILLS_FULL', 'too many skills are active: deactivate one first');
        return [...skills, name];
      }),
    deactivate: (sessionId, name) =>
      change(sessionId, (skills) => (skills.includes(name) ? skills.filter((each) => each !== name) : skills)),
  };
};
