import type { HttpRoute } from '../../operations/index.ts';
import type { Config } from '../config/index.ts';
import type { BuiltFile } from './built-files.ts';
import { type ConsoleFiles, findConsole } from './console-files.ts';
import { consoleRoutes } from './console-routes.ts';
import { type HomeFacts, homeRoute } from './home-route.ts';
import { providerOrigins, providerSignIn } from './provider-sign-in.ts';
import { uploadOrigins } from './upload-origins.ts';
import { findWidget, widgetRoute } from './widget-route.ts';

type FrontSettings = Pick<Config['settings'], 'console.enabled' | 'console.title' | 'console.readOnly' | 'auth.mode'> &
  Parameters<typeof uploadOrigins>[0] &
  Parameters<typeof providerOrigins>[0];

/** What a build made for browsers. */
interface Built {
  readonly console: ConsoleFiles | undefined;
  readonly widget: BuiltFile | undefined;
}

/**
 * The console as it was built; where there is none, the page that says so; nothing where it is switched off. And the chat widget, where
 * it was built.
 */
export const frontRoutes = (
  settings: FrontSettings,
  home: HomeFacts,
  built: Built = { console: findConsole(), widget: findWidget() },
): readonly HttpRoute[] => {
  const widget = built.widget === undefined ? [] : [widgetRoute(built.widget)];
  return [...widget, ...pages(settings, home, built.console)];
};

const pages = (settings: FrontSettings, home: HomeFacts, built: ConsoleFiles | undefined): readonly HttpRoute[] => {
  if (!settings['console.enabled']) return [];
  if (built === undefined) return [homeRoute(home)];
  const { 'console.title': title, 'console.readOnly': readOnly, 'auth.mode': authModes } = settings;
  const facts = { title, readOnly, authModes, version: home.version, provider: providerSignIn(settings) };
  return consoleRoutes(built, { ...facts, origins: [...uploadOrigins(settings), ...providerOrigins(settings)] });
};
