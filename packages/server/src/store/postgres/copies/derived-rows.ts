import { composed, type Session } from '../connection/index.ts';
import { ADD_WORDS } from '../tables/index.ts';
import { fillWords, noteForm } from '../words-form.ts';

/** What other rows say a second time, for finding (0001). */
const DERIVED = [
  `INSERT INTO resource_labels (kind, label, value, namespace, parent, name)
     SELECT r.kind, l.key, l.value, r.namespace, r.parent, r.name FROM resources r, json_each_text(r.labels::json) l`,
  `INSERT INTO resource_owners (owner_uid, resource)
     SELECT o.value ->> 'uid', r.row FROM resources r, json_array_elements(r.owners::json) o ON CONFLICT DO NOTHING`,
  `INSERT INTO session_labels (namespace, agent, label, value, session_id)
     SELECT s.namespace, s.agent, l.key, l.value, s.id FROM sessions s, json_each_text(s.labels::json) l`,
].map((text) => composed(text));

/** Counters continue behind what was loaded. */
const COUNTERS = [
  `SELECT setval('resource_versions', greatest(max(version), 1), max(version) IS NOT NULL) FROM changes`,
  `SELECT setval(pg_get_serial_sequence('audit', 'position'), greatest(max(position), 1), max(position) IS NOT NULL) FROM audit`,
  `SELECT setval(pg_get_serial_sequence('search_documents', 'row'), greatest(max(row), 1), max(row) IS NOT NULL)
     FROM search_documents`,
].map((text) => composed(text));

/** Writes what follows from the loaded rows and moves the counters; in the transaction of the load. */
export const deriveRows = async (session: Session): Promise<void> => {
  for (const sql of DERIVED) await session.run(sql);
  await fillWords(session, ADD_WORDS);
  await noteForm(session);
  for (const sql of COUNTERS) await session.rows(sql);
};
