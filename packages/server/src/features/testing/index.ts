/**
 * features/testing: everything around resources on a real embedded store, wired as app does it, for the tests of auth,
 * controllers and the resource features. Only tests import it.
 */

export * from './authoring-world.ts';
export * from './callers.ts';
export * from './deployment-manifests.ts';
export * from './deployment-world.ts';
export * from './dying-store.ts';
export * from './resource-world.ts';
export * from './test-call.ts';
export * from './test-dependencies.ts';
export * from './tool-caller.ts';
