import type { ReactElement } from 'react';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';
import { texts } from './texts.ts';

export const NotFound = (): ReactElement => (
  <Page title={texts.notFound}>
    <Empty icon="search" title={texts.notFoundLead}>
      <p>{texts.notFoundAdvice}</p>
    </Empty>
  </Page>
);
