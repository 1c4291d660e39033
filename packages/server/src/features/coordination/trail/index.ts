/**
 * features/coordination/trail: what became of a message, from the event of a platform to the last delivery. Owns the operation
 * GetMessageTrail and the walk from record to record. It stores nothing and knows no record: each feature reads its own as a source of
 * trails. Called by app, which hands it the sources of all features.
 */
export { trailModule } from './trail-module.ts';
