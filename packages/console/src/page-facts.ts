/** What the server wrote into the page: see `facts` below for each. */
interface PageFacts {
  /** Name of this instance, `console.title` of the configuration. */
  readonly title: string;
  /** The server's ways to sign in, `auth.mode` of the configuration; `none` needs no credential. */
  readonly authModes: readonly string[];
  /** `console.readOnly`: the page offers nothing that changes anything. */
  readonly readOnly: boolean;
}

const content = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="svc-${name}"]`)?.content;

/** Read once; the development server writes none of them, so each has a value for then. */
export const pageFacts: PageFacts = {
  title: content('title') || 'svc',
  authModes: (content('auth-mode') ?? 'none').split(',').map((mode) => mode.trim()),
  readOnly: content('read-only') === 'true',
};
