/** jwks/testing: a real OIDC provider in a process of its own, for the tests of mode jwks. */
export { type ProviderProcess, startProvider } from './provider-process.ts';
