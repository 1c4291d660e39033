import type { ProviderReport } from '../registration/index.ts';
import type { WantedRoutes } from './wanted-routes.ts';

type Annotations = Readonly<Record<string, string>>;

/** How the routes of a connector were last settled, kept with it where no client can write. */
export interface RouteState {
  /** What it wanted then. */
  readonly wanted: string;
  /** The route that another connector holds; its name only where this one may know it. */
  readonly conflict?: { readonly routeId: string; readonly holder: string };
}

/** Private annotations of a connector. */
const ROUTES = 'svc/~routes';
const REPORT = 'svc/~report';

const read = <T>(annotations: Annotations, key: string): T | undefined => {
  const text = annotations[key];
  return text === undefined ? undefined : (JSON.parse(text) as T);
};

/** How the routes were last settled; undefined before the first time. */
export const routeState = (annotations: Annotations): RouteState | undefined => read<RouteState>(annotations, ROUTES);

/** The annotation that keeps it. */
export const routeAnnotation = (state: RouteState): Annotations => ({ [ROUTES]: JSON.stringify(state) });

/** What the service last reported of the connector's provider. */
export const reportOf = (annotations: Annotations): ProviderReport | undefined =>
  read<ProviderReport>(annotations, REPORT);

/** The annotation that keeps it. */
export const reportAnnotation = (report: ProviderReport): Annotations => ({ [REPORT]: JSON.stringify(report) });

/** What a connector wants as one text, equal for equal wants. */
export const wantedText = ({ classUid, place, routes }: WantedRoutes): string =>
  JSON.stringify([classUid, place, ...routes]);
