/** What defaults depend on besides other settings. */
export interface HostFacts {
  /** Memory this process may use, in bytes; container limits included. */
  readonly memoryBytes: number;
  /** True when standard output is a terminal. */
  readonly isTerminal: boolean;
}
