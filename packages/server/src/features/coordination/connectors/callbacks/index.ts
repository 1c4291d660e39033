/**
 * features/coordination/connectors/callbacks: the secrets by which connector services call back, from their making to their end, and who a
 * caller with such a secret is. Used by registration, which makes them, and by transport through the module.
 */
export { CallbackAuthenticator } from './callback-authenticator.ts';
export {
  forgetIssued,
  forgetSecrets,
  issueSecret,
  makeCurrent,
  type NewSecret,
  retireOutdated,
} from './callback-secrets.ts';
