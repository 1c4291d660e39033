const content = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="svc-${name}"]`)?.content;

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
  /** `console.readOnly`: the page offers nothing that changes anything. */
  get readOnly(): boolean {
    return content('read-only') === 'true';
  },
};
