import type { HttpRoute } from '../../operations/index.ts';
import type { Config } from '../config/index.ts';
import { type ConsoleFiles, findConsole } from './console-files.ts';
import { consoleRoutes } from './console-routes.ts';
import { type HomeFacts, homeRoute } from './home-route.ts';
import { uploadOrigins } from './upload-origins.ts';

type FrontSettings = Pick<Config['settings'], 'console.enabled' | 'console.title' | 'console.readOnly' | 'auth.mode'> &
  Parameters<typeof uploadOrigins>[0];

/** The console as `built`; where there is none, the page that says so; nothing where it is switched off. */
export const frontRoutes = (
  settings: FrontSettings,
  home: HomeFacts,
  built: ConsoleFiles | undefined = findConsole(),
): readonly HttpRoute[] => {
  if (!settings['console.enabled']) return [];
  if (built === undefined) return [homeRoute(home)];
  const { 'console.title': title, 'console.readOnly': readOnly, 'auth.mode': authModes } = settings;
  const facts = { title, readOnly, authModes, version: home.version };
  return consoleRoutes(built, { ...facts, uploadOrigins: uploadOrigins(settings) });
};
