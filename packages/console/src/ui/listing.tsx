import type { ReactElement, ReactNode } from 'react';
import { Loading } from './loading.tsx';
import { Problem } from './problem.tsx';

interface ListingProps {
  /** The answer that the list is made of. */
  readonly found: {
    readonly isPending: boolean;
    readonly isSuccess: boolean;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  /** Rows to show; 0 with an answer shows `empty`. */
  readonly count: number;
  /** What is said where there is nothing. */
  readonly empty: ReactNode;
  /** The list. */
  readonly children: ReactNode;
}

/** The states that every list has: on its way, failed with a way to try again, without a row, and shown. */
export const Listing = ({ found, count, empty, children }: ListingProps): ReactElement => (
  <>
    {found.isPending && <Loading />}
    {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
    {found.isSuccess && count === 0 && empty}
    {count > 0 && children}
  </>
);
