import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { pageFacts } from '../../page-facts.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Problem } from '../../ui/problem.tsx';
import { writeCredential } from '../credential.ts';
import { texts } from '../texts.ts';
import { finishSignIn, RETURN_PATH } from './provider-flow.ts';
import { handOver, isOfWindow } from './sign-in-window.ts';

/** Begun once, however often the page is drawn: a code is good for one trade. */
let finished: Promise<void> | undefined;

const finish = async (): Promise<void> => {
  const { provider } = pageFacts;
  if (provider === undefined) throw new Error(texts.providerUnasked);
  if (isOfWindow(location.search)) {
    if (!(await handOver(location.search))) throw new Error(texts.openerGone);
    // Nothing of the sign-in stays in the address, where the browser does not let the window close itself.
    history.replaceState(null, '', RETURN_PATH);
    close();
    return;
  }
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
  const [isWindow] = useState(() => isOfWindow(location.search));
  const [isDone, setDone] = useState(false);
  const [problem, setProblem] = useState<Error>();
  useEffect(() => {
    if (!isReturn) return;
    finished ??= finish();
    finished.then(
      () => setDone(true),
      (error: Error) => {
        // Nothing of the sign-in stays in the address.
        history.replaceState(null, '', '/');
        setProblem(error);
      },
    );
  }, [isReturn]);
  if (isReturn && isWindow && problem !== undefined) return <Problem error={problem} />;
  if (!isReturn || problem !== undefined) return <>{page(problem)}</>;
  if (isDone && isWindow) return <Empty title={texts.handedOver} />;
  return <Loading label={texts.connecting} />;
};
