import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useKey } from '../../keys/use-keys.ts';
import { Icon } from '../../ui/icon.tsx';
import { useScope } from '../scope.ts';
import { GROUPS, type Section } from '../screen.ts';
import { screens } from '../screens.ts';
import { texts } from '../texts.ts';
import styles from './navigation.module.css';
import { openSection, sectionAddress } from './section-address.ts';

/** Every section, in its group. */
export const Navigation = (): ReactElement => {
  const sections: readonly Section[] = screens.flatMap((screen) => screen.sections);
  const pathname = useLocation({ select: (location) => location.pathname });
  const open = openSection(sections, pathname);
  return (
    <nav aria-label={texts.navigation} className={styles.nav}>
      {GROUPS.filter((group) => sections.some((section) => section.group === group)).map((group) => (
        <div key={group}>
          <h2>{group}</h2>
          <ul>
            {sections
              .filter((section) => section.group === group)
              .map((section) => (
                <Entry key={section.path} section={section} isOpen={section === open} />
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
};

const Entry = ({ section, isOpen }: { readonly section: Section; readonly isOpen: boolean }): ReactElement => {
  const scope = useScope();
  const navigate = useNavigate();
  const to = sectionAddress(section, scope);
  useKey(
    { keys: `g ${section.letter}`, does: `${texts.goTo} ${section.label}`, run: () => void navigate({ to }) },
    section.letter !== undefined,
  );
  return (
    <li>
      {/* On its own the link would also count as the page for every address below it. */}
      <Link to={to} activeOptions={{ exact: true }} aria-current={isOpen ? 'page' : undefined} className={styles.entry}>
        <Icon name={section.icon} />
        {section.label}
      </Link>
    </li>
  );
};
