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
};
