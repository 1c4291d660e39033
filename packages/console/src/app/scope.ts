import { useParams } from '@tanstack/react-router';

/** Stands for every namespace, in addresses and in requests. */
export const EVERYWHERE = '-';

const KEY = 'svc.namespace';

/** Where the person is: the namespace of the address, else the one they were in last. `-` is every namespace. */
export const useScope = (): string => {
  const { ns } = useParams({ strict: false });
  if (ns !== undefined) sessionStorage.setItem(KEY, ns);
  return ns ?? sessionStorage.getItem(KEY) ?? EVERYWHERE;
};
