import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { ResourceAddress } from './resource-data.ts';

/** A link to the page of one resource, with its kind and name unless something else is said. */
export const ResourceLink = ({
  address,
  children,
}: {
  readonly address: ResourceAddress;
  readonly children?: ReactNode;
}): ReactElement => {
  const { kind, ns, name, parent } = address;
  return (
    <Link
      to="/ns/$ns/resources/$kind/$name"
      params={{ ns, kind, name }}
      search={{ parent: parent === '' ? undefined : parent }}
    >
      {children ?? `${kind} ${name}`}
    </Link>
  );
};
