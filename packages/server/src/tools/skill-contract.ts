/** Most skills that may be active in one session, those of its agent's features included. */
export const MAX_ACTIVE_SKILLS = 8;

/** Durable list of the skills that a session has activated, in order; every write is harmless when it runs twice. */
export interface SkillBook {
  /** [] also for a session that is gone. */
  active(sessionId: string): Promise<readonly string[]>;
  /** Answers the list with the name at its end, or where it is. Throws Fault RESOURCE_EXHAUSTED SKILLS_FULL above `max`. */
  activate(sessionId: string, name: string, max: number): Promise<readonly string[]>;
  /** Answers the list without the name. */
  deactivate(sessionId: string, name: string): Promise<readonly string[]>;
}
