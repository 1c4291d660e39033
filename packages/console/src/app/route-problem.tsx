import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Page } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { texts } from './texts.ts';

/** A screen that failed to draw itself; the rest of the page still works. */
export const RouteProblem = ({ error, reset }: ErrorComponentProps): ReactElement => (
  <Page title={texts.failed}>
    <Problem error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
  </Page>
);
