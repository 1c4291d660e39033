/** One request to a provider; header names in lower case. */
export interface HttpRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What a handler may do with the exchange it takes part in. */
export interface ExchangeControl {
  /** Closes the connection; the handler gets an error unless the answer is complete. */
  abort(reason: Error): void;
}

/**
 * Receives one answer, synchronously as bytes arrive; the same shape as undici's handlers. A chunk is valid during its
 * call only: who keeps it copies it. Exactly one of `onResponseEnd` and `onResponseError` comes last.
 */
export interface ExchangeHandler {
  /** A connection carries the request now. */
  onRequestStart(control: ExchangeControl): void;
  onResponseStart(control: ExchangeControl, status: number, headers: ResponseHeaders): void;
  onResponseData(control: ExchangeControl, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(control: ExchangeControl, error: Error): void;
}

/** Sends requests; undici's dispatchers fit, so that tests can hand one in. */
export interface HttpSender {
  /** Throws for a request that cannot be written down (line breaks in a header). */
  dispatch(request: HttpRequest, handler: ExchangeHandler): unknown;
}
