/** An absolute URL taken apart once, as `dispatch` wants it. */
export interface Endpoint {
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
}

/** `baseUrl` with a path appended; keeps a query that the operator wrote into the base (API versions). */
export const endpointOf = (baseUrl: string, path: string): Endpoint => {
  const url = new URL(baseUrl);
  const base = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
  return { origin: url.origin, path: `${base}${path}${url.search}` };
};

/** First value of a header that may be repeated. */
export const headerText = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];
