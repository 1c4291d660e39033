const content = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="svc-${name}"]`)?.content;

/** An OpenID provider at which people may sign in. */
export interface SignInProvider {
  /** Address of the provider; its discovery document is below it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Of the token that the server takes. */
  readonly audience: string;
}

/** What the server wrote into the page. The development server writes nothing of it, so each has a value for then. */
export const pageFacts = {
  /** Name of this instance, `console.title` of the configuration. */
  get title(): string {
    return content('title') || 'svc';
  },
  /** The server's ways to sign in, `auth.mode` of the configuration; `none` needs no credential. */
  get authModes(): readonly string[] {
    return (content('auth-mode') ?? 'none').split(',').map((mode) => mode.trim());
  },
  /** Undefined where there is none (`console.oidc.clientId`). */
  get provider(): SignInProvider | undefined {
    const text = content('provider');
    return text === undefined ? undefined : JSON.parse(text);
  },
  /** `console.readOnly`: the page offers nothing that changes anything. */
  get readOnly(): boolean {
    return content('read-only') === 'true';
  },
};
