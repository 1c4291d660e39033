import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { pageFacts } from '../../page-facts.ts';
import { Loading } from '../../ui/loading.tsx';
import { writeCredential } from '../credential.ts';
import { texts } from '../texts.ts';
import { finishSignIn, RETURN_PATH } from './provider-flow.ts';

/** Begun once, however often the page is drawn: a code is good for one trade. */
let finished: Promise<void> | undefined;

const finish = async (): Promise<void> => {
  const { provider } = pageFacts;
  if (provider === undefined) throw new Error(texts.providerUnasked);
  const { credential, returnTo } = await finishSignIn(provider, location.search);
  writeCredential(credential, false);
  location.replace(returnTo);
};

/** Ends the sign-in at a provider where the address says that the person comes back from there; else shows `page`. */
export const ProviderReturn = ({
  page,
}: {
  readonly page: (problem: Error | undefined) => ReactNode;
}): ReactElement => {
  const [isReturn] = useState(() => location.pathname === RETURN_PATH);
  const [problem, setProblem] = useState<Error>();
  useEffect(() => {
    if (!isReturn) return;
    finished ??= finish();
    finished.catch((error: Error) => {
      // Nothing of the sign-in stays in the address.
      history.replaceState(null, '', '/');
      setProblem(error);
    });
  }, [isReturn]);
  return <>{isReturn && problem === undefined ? <Loading label={texts.connecting} /> : page(problem)}</>;
};
