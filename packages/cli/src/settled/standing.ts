import type { JsonObject } from '@bufbuild/protobuf';
import { mapOf, mapsOf, textOf } from '../json-value.ts';

/** The progress of a resource towards ready. */
export type Standing =
  | { readonly state: 'ready' }
  /** Done as far as this version goes: it is not executed, or it is disabled. */
  | { readonly state: 'idle'; readonly why: string }
  | { readonly state: 'waiting'; readonly why: string }
  /** Something is wrong with it; a controller may still fix it if resources only came in the wrong order. */
  | { readonly state: 'failing'; readonly why: string };

/** How long something may fail before waiting ends: references to resources that were just created are resolved within this time. */
export const FAILURE_GRACE_MS = 5_000;

const FAILING: ReadonlySet<string> = new Set(['degraded', 'invalid', 'failed']);
const OFF: ReadonlySet<string> = new Set(['disabled', 'completed']);

/** What the stored status of a resource says about its current spec. */
export const standingOf = (json: JsonObject): Standing => {
  // Kinds of other groups have no controller here: they are done when they are stored.
  if (textOf(json['apiVersion']) !== 'svc/v1') return { state: 'ready' };
  const [metadata, status] = [mapOf(json['metadata']), mapOf(json['status'])];
  if ((textOf(status['observedGeneration']) || '0') !== (textOf(metadata['generation']) || '0'))
    return { state: 'waiting', why: 'its controller has not checked the current generation yet' };
  const ready = readyOf(json);
  const phase = textOf(status['phase']);
  if (ready.reason === 'NotExecuted') return { state: 'idle', why: ready.message };
  if (OFF.has(phase.toLowerCase())) return { state: 'idle', why: `its phase is ${phase}` };
  const why = [ready.reason, ready.message].filter((text) => text !== '').join(': ') || `its phase is ${phase}`;
  if (FAILING.has(phase.toLowerCase())) return { state: 'failing', why };
  return ready.status === 'False' ? { state: 'waiting', why } : { state: 'ready' };
};

const readyOf = (json: JsonObject) => {
  const conditions = mapsOf(mapOf(json['status'])['conditions']);
  const found = mapOf(conditions.find((condition) => condition['type'] === 'Ready'));
  return { status: textOf(found['status']), reason: textOf(found['reason']), message: textOf(found['message']) };
};

/** Why a resource is not executed in this version; '' if it is. */
export const idleText = (json: JsonObject): string => {
  const { reason, message } = readyOf(json);
  return reason === 'NotExecuted' ? message : '';
};
