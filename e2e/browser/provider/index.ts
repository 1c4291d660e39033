/** provider: an OpenID provider at which the console signs people in. Called by the test of the sign-in. */
export { OpenIdProvider } from './open-id-provider.ts';
