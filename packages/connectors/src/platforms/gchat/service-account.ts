import { SettingError, type Settings } from '../../settings.ts';
import { accessTokens } from '../access-token.ts';

interface ServiceAccount {
  readonly client_email: string;
  readonly private_key: string;
  readonly token_uri: string;
}

const SCOPE = 'https://www.googleapis.com/auth/chat.bot';

/**
 * What the API client of Google asks of its authentication: to send a request with a token of the service account. Throws SettingError where
 * `credentials` is not the key of one.
 */
export function serviceAccountClient(settings: Settings) {
  const account = readAccount(settings);
  const token = accessTokens(account.token_uri, async () => {
    const { importPKCS8, SignJWT } = await import('jose');
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(await importPKCS8(account.private_key, 'RS256'));
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  });
  return {
    getRequestHeaders: async () => new Headers({ authorization: `Bearer ${await token()}` }),
    request: async (options: GoogleRequest) => await send(options, await token()),
  };
}

function readAccount(settings: Settings): ServiceAccount {
  const text = settings.require('credentials');
  try {
    const account = JSON.parse(text) as Partial<ServiceAccount>;
    const { client_email, private_key, token_uri } = account;
    if (client_email !== undefined && private_key !== undefined && token_uri !== undefined)
      return { client_email, private_key, token_uri };
  } catch (cause) {
    throw new SettingError('credentials', 'credentials is not JSON', { cause });
  }
  throw new SettingError('credentials', 'credentials has no client_email, private_key or token_uri');
}

interface GoogleRequest {
  readonly url: string | URL;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
}

async function send({ url, method = 'GET', params = {}, data }: GoogleRequest, token: string) {
  const address = new URL(url);
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) address.searchParams.set(name, String(value));
  const response = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(data === undefined ? {} : { body: typeof data === 'string' ? data : JSON.stringify(data) }),
    signal: AbortSignal.timeout(10_000),
  });
  const body: unknown = await response.json().catch(() => ({}));
  const { status, headers } = response;
  if (response.ok) return { status, headers, data: body, config: {} };
  throw Object.assign(new Error(`Google Chat answered ${status}`), {
    status,
    code: status,
    response: { status, data: body, headers },
  });
}
