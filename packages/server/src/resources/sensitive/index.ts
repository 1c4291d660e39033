/**
 * resources/sensitive: which fields hold secrets or may hold credentials, how they are masked, kept on a write of a
 * masked read, and sealed at rest. Pure: the cipher is handed in. Called by views and by the write pipeline.
 */
export * from './hashed-fields.ts';
export {
  closedSeal,
  givenValues,
  holdsValue,
  isSealed,
  openMap,
  openRecord,
  resealRecord,
  SEALED_PREFIX,
  type SealedPart,
  type SealedSection,
  sealedValues,
  sealMap,
  secretReferences,
  unopenedValues,
  type ValueSeal,
} from './sealed-fields.ts';
export * from './secret-references.ts';
export {
  dropInternals,
  hasSensitiveFields,
  keepSensitive,
  maskSpec,
  maskStatus,
} from './sensitive-fields.ts';
export { holdsUnseenValues, type UnseenWrite, unseenAnnotation, unseenWrite } from './unseen-values.ts';
