/**
 * runtime/record: what a turn and its session keep, and what follows from it alone: rows and their bodies, journal entries,
 * parts and events, spans, error classes, profiles. Everything here is pure: no transaction, no clock, no bus. Used by every
 * other folder of runtime; uses none of them.
 */
export { closingParts } from './closing-parts.ts';
export { EventSequencer } from './event-sequencer.ts';
export { lineageBelow, lineageProblem } from './lineage-rules.ts';
export { mergedOverrides, withOverrides } from './override-rules.ts';
export { kindOf, permissionRow, requestPart, resultPart } from './permission-records.ts';
export { type Knobs, knobsOf, profilesInOrder, type ResolvedProfile } from './profile-rules.ts';
export { errorPart, mayFailOver, type TurnError, type TurnErrorClass } from './turn-error.ts';
export { isStoreAway, LostClaim } from './turn-faults.ts';
export * from './turn-record.ts';
export * from './turn-rows.ts';
export { nextSpan, resetSpan } from './turn-spans.ts';
