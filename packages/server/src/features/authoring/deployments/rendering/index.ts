/**
 * features/authoring/deployments/rendering: what one template says for one namespace, how that merges with what is there, and how what is
 * wrong is reported. Pure: reads and writes nothing. The passes of the folder above call it.
 */
export {
  hasOtherOwner,
  liveForm,
  mergeObject,
  type ObjectMerge,
  type ObjectRecord,
  otherDeployment,
} from './object-merge.ts';
export {
  fieldProblem,
  invalidReason,
  missingTemplate,
  type ObjectProblem,
  objectId,
  objectKey,
  problemText,
  refusedWrite,
} from './object-problems.ts';
export { type RenderedObject, type RenderedTemplate, renderTemplate } from './template-rendering.ts';
