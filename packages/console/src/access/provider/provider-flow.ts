import { pageFacts, type SignInProvider } from '../../page-facts.ts';
import type { Credential } from '../credential.ts';
import { texts } from '../texts.ts';
import { askForTokens, discover, refusalText } from './provider-calls.ts';
import { belongsTo, challengeOf, secretText, tokenFor } from './token-rules.ts';

/** Where the provider sends people back to; an address of the page. */
export const RETURN_PATH = '/sign-in/callback';

const KEY = 'svc.sign-in';

/** What is known of a sign-in until the person comes back; a secret of this page. */
export interface BegunSignIn {
  /** Comes back in the address, so that it says which sign-in is meant. */
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly tokenEndpoint: string;
}

/** One for which this tab left the page. */
interface LeftPage extends BegunSignIn {
  /** Address within the page where the person was. */
  readonly returnTo: string;
}

export type ProviderCredential = Extract<Credential, { readonly kind: 'provider' }>;

const returnAddress = (): string => location.origin + RETURN_PATH;

interface NewSignIn {
  readonly begun: BegunSignIn;
  /** Where the provider signs the person in: authorization code with PKCE (RFC 7636) and a nonce. */
  readonly address: URL;
}

/** Makes up a sign-in whose state begins with `mark`. Fails when the provider cannot be reached. */
export const newSignIn = async ({ issuer, clientId, scope }: SignInProvider, mark: string): Promise<NewSignIn> => {
  const { authorization_endpoint, token_endpoint } = await discover(issuer);
  const [state, nonce, verifier] = [mark + secretText(), secretText(), secretText()];
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
  return { begun: { state, nonce, verifier, tokenEndpoint: token_endpoint }, address };
};

/** Leaves the page for the sign-in of the provider. Fails when the provider cannot be reached. */
export const leaveForSignIn = async (provider: SignInProvider): Promise<void> => {
  const { begun, address } = await newSignIn(provider, '');
  const here = location.pathname + location.search;
  const left: LeftPage = { ...begun, returnTo: location.pathname === RETURN_PATH ? '/' : here };
  sessionStorage.setItem(KEY, JSON.stringify(left));
  location.assign(address);
};

interface FinishedSignIn {
  readonly credential: ProviderCredential;
  readonly returnTo: string;
}

/** Ends the sign-in for which this tab left the page. Fails when it was not this tab that asked, or the provider refuses. */
export const finishSignIn = async (provider: SignInProvider, search: string): Promise<FinishedSignIn> => {
  const left = takeLeft();
  if (left === undefined) throw new Error(texts.providerUnasked);
  return { credential: await tradeCode(provider, left, search), returnTo: left.returnTo };
};

/**
 * Trades the code that the provider sent the person back with for a token. `search` is the query of that address. Fails when it
 * belongs to another sign-in, or the provider refuses.
 */
export const tradeCode = async (
  provider: SignInProvider,
  begun: BegunSignIn,
  search: string,
): Promise<ProviderCredential> => {
  const said = Object.fromEntries(new URLSearchParams(search));
  const { origin } = new URL(provider.issuer);
  if (said['state'] !== begun.state) throw new Error(texts.providerUnasked);
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
  return credentialOf(token, answer.refresh_token, begun.tokenEndpoint);
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
const takeLeft = (): LeftPage | undefined => {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === null ? undefined : JSON.parse(kept);
};
