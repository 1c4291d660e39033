import { pageFacts, type SignInProvider } from '../../page-facts.ts';
import type { Credential } from '../credential.ts';
import { texts } from '../texts.ts';
import { askForTokens, discover, refusalText } from './provider-calls.ts';
import { belongsTo, challengeOf, secretText, tokenFor } from './token-rules.ts';

/** Where the provider sends people back to; an address of the page. */
export const RETURN_PATH = '/sign-in/callback';

const KEY = 'svc.sign-in';

/** What the page has to know when the person comes back; in this tab only. */
interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly tokenEndpoint: string;
  /** Address within the page where the person was. */
  readonly returnTo: string;
}

type ProviderCredential = Extract<Credential, { readonly kind: 'provider' }>;

const returnAddress = (): string => location.origin + RETURN_PATH;

/**
 * Leaves the page for the sign-in of the provider: authorization code with PKCE (RFC 7636) and a nonce. Fails when the provider cannot
 * be reached.
 */
export const beginSignIn = async ({ issuer, clientId, scope }: SignInProvider): Promise<void> => {
  const { authorization_endpoint, token_endpoint } = await discover(issuer);
  const [state, nonce, verifier] = [secretText(), secretText(), secretText()];
  const here = location.pathname + location.search;
  const returnTo = location.pathname === RETURN_PATH ? '/' : here;
  const begun: BegunSignIn = { state, nonce, verifier, tokenEndpoint: token_endpoint, returnTo };
  sessionStorage.setItem(KEY, JSON.stringify(begun));
  const address = new URL(authorization_endpoint);
  const asked = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: returnAddress(),
    scope,
    state,
    nonce,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  location.assign(address);
};

interface FinishedSignIn {
  readonly credential: ProviderCredential;
  readonly returnTo: string;
}

/** Trades the code in the address of the page for a token. Fails when it was not this tab that asked, or the provider refuses. */
export const finishSignIn = async (provider: SignInProvider, search: string): Promise<FinishedSignIn> => {
  const said = Object.fromEntries(new URLSearchParams(search));
  const { origin } = new URL(provider.issuer);
  const begun = takeBegun();
  if (begun === undefined || said['state'] !== begun.state) throw new Error(texts.providerUnasked);
  // A provider that names itself in the address must be the one that was asked (RFC 9207).
  if (said['iss'] !== undefined && said['iss'] !== provider.issuer) throw new Error(texts.providerUnasked);
  const refusal = refusalText(said);
  if (refusal !== undefined) throw new Error(texts.providerRefused(origin, refusal));
  const answer = await askForTokens(begun.tokenEndpoint, {
    grant_type: 'authorization_code',
    client_id: provider.clientId,
    code: said['code'] ?? '',
    redirect_uri: returnAddress(),
    code_verifier: begun.verifier,
  });
  if (answer.id_token !== undefined && !belongsTo(answer.id_token, { ...provider, nonce: begun.nonce }))
    throw new Error(texts.providerUnasked);
  const token = tokenFor(answer, provider.audience);
  if (token === undefined) throw new Error(texts.providerNoToken(origin, provider.audience));
  return { credential: credentialOf(token, answer.refresh_token, begun.tokenEndpoint), returnTo: begun.returnTo };
};

/**
 * A new token for the one that ends soon; undefined where the provider gave nothing to renew it with. Fails like `askForTokens`.
 */
export const renewed = async ({ refresh }: ProviderCredential): Promise<ProviderCredential | undefined> => {
  const { provider } = pageFacts;
  if (refresh === undefined || provider === undefined) return undefined;
  const answer = await askForTokens(refresh.endpoint, {
    grant_type: 'refresh_token',
    client_id: provider.clientId,
    refresh_token: refresh.token,
  });
  const token = tokenFor(answer, provider.audience);
  if (token === undefined) return undefined;
  // A provider that does not hand out another one lets the old one be used again (RFC 6749, section 6).
  return credentialOf(token, answer.refresh_token ?? refresh.token, refresh.endpoint);
};

const credentialOf = (token: string, refreshToken: string | undefined, endpoint: string): ProviderCredential => ({
  kind: 'provider',
  token,
  ...(refreshToken === undefined ? {} : { refresh: { token: refreshToken, endpoint } }),
});

/** Once: a code is good for one trade. */
const takeBegun = (): BegunSignIn | undefined => {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === null ? undefined : JSON.parse(kept);
};
