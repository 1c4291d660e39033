/**
 * installed: the packages of a build, packed as they would be published and installed by npm into an empty folder. Nothing in that
 * folder knows the checkout. Called by tests of what a new user gets.
 */
export { buildPackages } from './build-packages.ts';
export { installPackages } from './install-packages.ts';
