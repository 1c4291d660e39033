/**
 * features/platform/access: credentials that svc itself gives out (API keys, minted tokens), and what callers can find out about
 * access: who they are, and the audit log. Recognises its credentials for auth's authenticator. Does not decide access (auth
 * does); writes audit records only of what it makes and revokes. Called by app.
 */
export { accessModule } from './access-module.ts';
