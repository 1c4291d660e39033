import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import buttonStyles from './button.module.css';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './menu.module.css';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly isDanger?: boolean;
  readonly onSelect: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Drawing of the button; with `isLabelShown` next to its text. */
  readonly icon?: IconName;
  readonly isLabelShown?: boolean;
}

/** A button that opens a list of actions. */
export const Menu = ({ label, items, icon = 'more', isLabelShown = false }: MenuProps): ReactElement => (
  <BaseMenu.Root>
    <BaseMenu.Trigger
      className={classNames(buttonStyles.button, !isLabelShown && classNames(buttonStyles.quiet, buttonStyles.square))}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
      {isLabelShown && label}
    </BaseMenu.Trigger>
    <BaseMenu.Portal>
      <BaseMenu.Positioner sideOffset={4} align="end" className={styles.positioner}>
        <BaseMenu.Popup className={styles.popup}>
          {items.map((item) => (
            <BaseMenu.Item
              key={item.label}
              className={classNames(styles.item, item.isDanger && styles.danger)}
              onClick={item.onSelect}
            >
              {item.icon && <Icon name={item.icon} />}
              {item.label}
            </BaseMenu.Item>
          ))}
        </BaseMenu.Popup>
      </BaseMenu.Positioner>
    </BaseMenu.Portal>
  </BaseMenu.Root>
);
