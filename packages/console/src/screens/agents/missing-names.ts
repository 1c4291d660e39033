import type { ResourceCondition } from '@svc/api/resources';

const ABOUT_NAMES = new Set(['FeaturesAvailable', 'ReferencesResolved', 'CapabilitiesKnown', 'ModelsAvailable']);

/** Names that the conditions of an agent call missing; their messages list them. */
export const missingNames = (
  conditions: readonly Pick<ResourceCondition, 'type' | 'status' | 'message'>[],
): ReadonlySet<string> =>
  new Set(
    conditions
      .filter(({ type, status }) => ABOUT_NAMES.has(type) && status === 'False')
      .flatMap(({ message }) => message.split(/[\s,;:"]+/))
      .filter((word) => word !== ''),
  );
