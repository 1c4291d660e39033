/**
 * operations/bodies: the forms that REST bodies may have in addition to the JSON of the request: a resource said whole or spelled out, a
 * message said as text or parts. Features make the form of their operations of these; transport runs it. Decodes nothing itself.
 */
export type * from './body-form.ts';
export * from './flat-resource.ts';
export * from './gather-resource.ts';
export * from './json-object.ts';
export * from './merge-json.ts';
export * from './message-json.ts';
export * from './resource-json.ts';
export * from './sent-metadata.ts';
export * from './whole-resource.ts';
