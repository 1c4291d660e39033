import type { ReactElement } from 'react';
import { Icon } from './icon.tsx';
import { type PathNode, pathTree } from './path-rows.ts';
import styles from './path-tree.module.css';

interface PathTreeProps {
  readonly label: string;
  readonly paths: readonly string[];
  /** Path of the document that is shown. */
  readonly open: string;
  readonly onOpen: (path: string) => void;
}

/** Documents in their folders; folders open and close. */
export const PathTree = ({ label, paths, open, onOpen }: PathTreeProps): ReactElement => (
  <nav className={styles.tree} aria-label={label}>
    <Nodes nodes={pathTree(paths)} open={open} onOpen={onOpen} />
  </nav>
);

interface NodesProps extends Pick<PathTreeProps, 'open' | 'onOpen'> {
  readonly nodes: readonly PathNode[];
}

const Nodes = ({ nodes, open, onOpen }: NodesProps): ReactElement => (
  <ul>
    {nodes.map(({ name, path, isFolder, children }) => (
      <li key={path}>
        {isFolder ? (
          <details open>
            <summary>{name}</summary>
            <Nodes nodes={children} open={open} onOpen={onOpen} />
          </details>
        ) : (
          <button type="button" aria-current={path === open} onClick={() => onOpen(path)}>
            <Icon name="file" size={14} />
            {name}
          </button>
        )}
      </li>
    ))}
  </ul>
);
