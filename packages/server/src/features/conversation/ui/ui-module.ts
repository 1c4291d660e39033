import type { FeatureModule } from '../../module-contract.ts';
import { chatRoutes } from './chat-routes.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { consoleRoutes } from './console-routes.ts';
import type { UiDeps } from './ui-deps.ts';

interface UiModuleDeps extends Omit<ConsoleDeps, 'sessions'>, Pick<UiDeps, 'links' | 'sendObject'> {
  readonly chat: UiDeps['sessions'];
  readonly console: ConsoleDeps['sessions'];
  /** In bytes. */
  readonly settings: { readonly 'limits.uiRequestBytes': number; readonly 'limits.messageBytes': number };
}

/** The routes of browsers: the chat of one session with the files of its messages, and the console's multiplexed stream. */
export const uiModule = (deps: UiModuleDeps): FeatureModule => ({
  routes: [
    ...chatRoutes({
      ...deps,
      sessions: deps.chat,
      requestBytes: deps.settings['limits.uiRequestBytes'],
      messageBytes: deps.settings['limits.messageBytes'],
    }),
    ...consoleRoutes({ ...deps, sessions: deps.console }),
  ],
});
