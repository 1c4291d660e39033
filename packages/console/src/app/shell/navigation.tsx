import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useKey } from '../../keys/use-keys.ts';
import { Icon } from '../../ui/icon.tsx';
import { useScope } from '../scope.ts';
import { GROUPS, type Section } from '../screen.ts';
import { screens } from '../screens.ts';
import { texts } from '../texts.ts';
import styles from './navigation.module.css';
import { sectionAddress } from './section-address.ts';

/** Every section, in its group. */
export const Navigation = (): ReactElement => {
  const sections = screens.flatMap((screen) => screen.sections);
  return (
    <nav aria-label={texts.navigation} className={styles.nav}>
      {GROUPS.filter((group) => sections.some((section) => section.group === group)).map((group) => (
        <div key={group}>
          <h2>{group}</h2>
          <ul>
            {sections
              .filter((section) => section.group === group)
              .map((section) => (
                <Entry key={section.path} section={section} />
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
};

const Entry = ({ section }: { readonly section: Section }): ReactElement => {
  const scope = useScope();
  const navigate = useNavigate();
  const to = sectionAddress(section, scope);
  useKey(
    { keys: `g ${section.letter}`, does: `${texts.goTo} ${section.label}`, run: () => void navigate({ to }) },
    section.letter !== undefined,
  );
  return (
    <li>
      <Link to={to} activeOptions={{ exact: section.path === '/' }} className={styles.entry}>
        <Icon name={section.icon} />
        {section.label}
      </Link>
    </li>
  );
};
