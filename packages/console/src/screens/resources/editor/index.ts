/** editor: a resource as YAML to write: checks by the server, a comparison before it is saved, and merging with the changes of others. */
export { ResourceEditor } from './resource-editor.tsx';
export { skeletonOf } from './skeletons.ts';
