/** What the tests use of React; its own type packages are not a dependency of this workspace. */
declare module 'react' {
  export interface ReactElement {
    readonly type: unknown;
  }
  export const createElement: <Properties extends object>(
    type: string | ((properties: Properties) => ReactElement),
    properties: Properties,
    ...children: readonly (ReactElement | string)[]
  ) => ReactElement;
}

declare module 'react-dom/server' {
  import type { ReactElement } from 'react';
  export const renderToStaticMarkup: (element: ReactElement) => string;
}
