/** Texts of the sign-in. */
export const texts = {
  title: 'Sign in',
  lead: 'This server wants to know who you are.',
  again: 'Your sign-in has ended. What you were doing is still here: sign in again to continue.',
  endsSoon: 'Sign-in ends',
  way: 'Way to sign in',
  ways: { token: 'Token', apiKey: 'API key', password: 'Password' },
  tokenLabel: 'Token',
  tokenHint: 'The token of the server (auth.token), or one of your identity provider.',
  apiKeyLabel: 'API key',
  apiKeyHint: 'Made with “svc apikey create NAME”, or by someone who has access.',
  userLabel: 'User name',
  passwordLabel: 'Password',
  keep: 'Stay signed in on this computer',
  submit: 'Sign in',
  connecting: 'Connecting',
  or: 'or',
  atProvider: (host: string): string => `Sign in with ${host}`,
  inWindow:
    'Sign in in the window that has opened. If you do not see it, sign in on this page: what is not saved is then lost.',
  windowBlocked:
    'Your browser blocked the window. Allow it for this page and try again, or sign in on this page: what is not saved is then lost.',
  onThisPage: 'Sign in on this page',
  handedOver: 'You can close this window. The page that opened it continues.',
  openerGone:
    'No page waits for this sign-in any more. Close this window, and sign in on the page where you want to continue.',
  providerAway: (origin: string): string =>
    `${origin} does not answer this page. It may be away, or its settings do not name this page as an origin of the client.`,
  providerRefused: (origin: string, reason: string): string => `${origin} says no: ${reason}`,
  providerUnclear: (issuer: string): string => `${issuer} does not say where people sign in (openid-configuration).`,
  providerOther: (issuer: string): string =>
    `${issuer} says that it is another provider: its “issuer” (openid-configuration) differs from auth.jwks.issuer.`,
  providerUnasked: 'This sign-in did not begin in this tab, or it is used up. Please begin it here.',
  providerNoToken: (origin: string, audience: string): string =>
    `${origin} gave no token for this server: neither the access token nor the ID token names the audience ${audience} (auth.jwks.audience).`,
};
