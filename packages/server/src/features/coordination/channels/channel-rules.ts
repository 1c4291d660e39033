import type { ChannelSpec } from '@svc/api/resources';
import { type FieldViolation, isLongerThan, oversize, violation } from '../../../base/index.ts';

type TextMap = Readonly<Record<string, string>>;

/** Annotation behind `status.phase`, so that manifests can close a channel. */
export const STATE_ANNOTATION = 'option.svc/channel-state';

const TITLE_CHARS = 256;
const METADATA_ENTRIES = 64;
const METADATA_KEY_CHARS = 63;
const METADATA_VALUE_BYTES = 4_096;
const PHASES: ReadonlySet<string> = new Set(['open', 'closed']);

/** Faults of a `metadata` map of a channel or a subscription. */
export const checkSpecMetadata = (metadata: TextMap): readonly FieldViolation[] => {
  const entries = Object.entries(metadata);
  return [
    ...(entries.length > METADATA_ENTRIES ? [violation('spec.metadata', `more than ${METADATA_ENTRIES} entries`)] : []),
    ...entries.flatMap(([key, value]) => {
      const at = `spec.metadata[${key.slice(0, METADATA_KEY_CHARS)}]`;
      return [
        ...(key === '' || isLongerThan(key, METADATA_KEY_CHARS)
          ? [violation(at, `key must have 1-${METADATA_KEY_CHARS} characters`)]
          : []),
        ...(Buffer.byteLength(value) > METADATA_VALUE_BYTES ? [oversize(at, METADATA_VALUE_BYTES)] : []),
      ];
    }),
  ];
};

/** All faults of a channel's spec and of its state annotation. */
export const checkChannel = (spec: ChannelSpec, annotations: TextMap): readonly FieldViolation[] => {
  const state = annotations[STATE_ANNOTATION];
  return [
    ...(isLongerThan(spec.title, TITLE_CHARS) ? [violation('spec.title', `more than ${TITLE_CHARS} characters`)] : []),
    ...checkSpecMetadata(spec.metadata),
    ...(state === undefined || PHASES.has(state)
      ? []
      : [violation(`metadata.annotations[${STATE_ANNOTATION}]`, 'must be open or closed', 'CHANNEL_STATE')]),
  ];
};

/** Faults of the phase a client sent; '' says nothing. */
export const checkPhase = (phase: string): readonly FieldViolation[] =>
  phase === '' || PHASES.has(phase) ? [] : [violation('status.phase', 'must be open or closed', 'CHANNEL_STATE')];

/** The phase that annotations stand for. */
export const phaseOf = (annotations: TextMap): 'open' | 'closed' =>
  annotations[STATE_ANNOTATION] === 'closed' ? 'closed' : 'open';

export interface RequestedState {
  /** `status.phase` of the request, '' = not said. */
  readonly phase: string;
  readonly annotations: TextMap;
  /** Phase the channel has; undefined at creation. */
  readonly current: 'open' | 'closed' | undefined;
}

/**
 * The annotations to store so that they agree with the requested phase. Client programs send back what they read, so of
 * phase and annotation the one that differs from what is stored is meant; neither said keeps the phase. An annotation that is
 * no state is left for `checkChannel` to refuse.
 */
export const settleState = (requested: RequestedState): Record<string, string> => {
  const { phase, annotations, current } = requested;
  const { [STATE_ANNOTATION]: said, ...rest } = annotations;
  if (said !== undefined && !PHASES.has(said)) return { ...annotations };
  const isPhaseMeant = phase !== '' && phase !== current;
  const wanted = isPhaseMeant ? phase : (said ?? current ?? 'open');
  if (wanted === 'open' && said === undefined) return rest;
  return { ...rest, [STATE_ANNOTATION]: wanted };
};
