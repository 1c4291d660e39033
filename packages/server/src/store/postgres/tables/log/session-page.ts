import type { LabelRequirement, SessionPage, SessionRow } from '../../../contracts/index.ts';
import { drivingLabel, SESSION_COLUMNS, type SessionSqlRow, toSession } from '../../../rows/index.ts';
import { composed, type Queries, statement } from '../../connection/index.ts';
import { addLabelCondition, Conditions } from '../resource-list.ts';

const COUNT_LABEL = statement<{ found: number }>(
  `SELECT count(*) AS found FROM (SELECT 1 FROM session_labels WHERE namespace = $1 AND agent = $2
   AND label = $3 AND value = $4 LIMIT $5) AS matches`,
);

/** Up to this many sessions with the wanted label are sorted; more, and the list is walked in its own order. */
const SORTED_MATCHES = 1_000;

/** Sessions of an agent, newest activity first. */
export const listSessions = async (sql: Queries, page: SessionPage): Promise<readonly SessionRow[]> => {
  const conditions = new Conditions();
  const [namespace, agent] = [conditions.value(page.namespace), conditions.value(page.agent)];
  conditions.add(`s.namespace = ${namespace} AND s.agent = ${agent}`);
  if (page.before !== undefined) {
    const { lastActive, id } = page.before;
    conditions.add(`(s.last_active, s.id) < (${conditions.value(lastActive)}, ${conditions.value(id)})`);
  }
  const requirements = page.labels ?? [];
  for (const requirement of requirements) addLabelCondition(conditions, requirement, 's.labels');
  const driver = await selectiveLabel(sql, page, requirements);
  if (driver !== undefined)
    conditions.add(`s.id IN (SELECT session_id FROM session_labels WHERE namespace = ${namespace} AND agent = ${agent}
      AND label = ${conditions.value(driver.key)} AND value = ${conditions.value(driver.value)})`);
  const text = `SELECT ${SESSION_COLUMNS} FROM sessions s ${conditions.where}
    ORDER BY s.last_active DESC, s.id DESC LIMIT ${conditions.value(page.limit)}`;
  return (await sql.rows(composed<SessionSqlRow>(text), conditions.values)).map(toSession);
};

const selectiveLabel = async (sql: Queries, page: SessionPage, requirements: readonly LabelRequirement[]) => {
  const driver = drivingLabel(requirements);
  if (driver === undefined) return undefined;
  const values = [page.namespace, page.agent, driver.key, driver.value, SORTED_MATCHES + 1];
  const matches = await sql.one(COUNT_LABEL, values);
  return matches.found > SORTED_MATCHES ? undefined : driver;
};
