import { Outlet, useLocation, useSearch } from '@tanstack/react-router';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useKeyListener } from '../../keys/use-keys.ts';
import { IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Palette } from '../palette/palette.tsx';
import { PanelStack } from '../panels/panel-stack.tsx';
import { texts } from '../texts.ts';
import { NamespaceSwitcher } from './namespace-switcher.tsx';
import { Navigation } from './navigation.tsx';
import styles from './shell.module.css';
import { StatusLine } from './status-line.tsx';

/** The frame around every screen: namespaces and sections, the screen itself, details next to it, and the state of the connection. */
export const Shell = (): ReactElement => {
  const { pathname } = useLocation();
  const { plain } = useSearch({ strict: false });
  /** On a phone the navigation covers the page until it is used. */
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === pathname;
  useKeyListener();
  useScreenFocus(pathname);
  // A page for people who only talk is that page alone.
  if (plain === '1') {
    return (
      <main id="content" className={styles.alone} tabIndex={-1}>
        <Outlet />
      </main>
    );
  }
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {texts.skip}
      </a>
      <div className={styles.top}>
        <IconButton label={texts.openNavigation} icon="menu" onClick={() => setOpenAt(isOpen ? undefined : pathname)} />
      </div>
      <div className={classNames(styles.side, isOpen && styles.open)}>
        <NamespaceSwitcher />
        <Palette />
        <Navigation />
      </div>
      <main id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      <PanelStack />
      <StatusLine />
    </div>
  );
};

/** Who goes to another screen without having been anywhere on the page begins at that screen, not at the top of the page. */
const useScreenFocus = (pathname: string): void => {
  const former = useRef(pathname);
  useEffect(() => {
    if (former.current === pathname) return;
    former.current = pathname;
    if (document.activeElement === document.body) document.querySelector('main')?.focus({ preventScroll: true });
  }, [pathname]);
};
