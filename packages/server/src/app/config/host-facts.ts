/** What defaults depend on besides other settings. */
export interface HostFacts {
  /** Memory this process may use, in bytes; container limits included. */
  readonly memoryBytes: number;
  /** Files and connections this process may have open at once; undefined where the system does not say. */
  readonly openFiles: number | undefined;
  /** True when standard output is a terminal. */
  readonly isTerminal: boolean;
}
