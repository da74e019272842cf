import styles from './split-screen-art.module.css';

/**
 * The picture of the split screen: a path to an open door, in flat shapes of the brand's color. It is a file of its own, so that neither
 * the page nor its script carries it; its colors are custom properties, which it inherits from here.
 */
export function SplitScreenArt() {
  return (
    <svg
      className={styles.picture}
      viewBox="-180 -300 1000 1200"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
      focusable="false"
    >
      <use href="/split-screen-art.svg#art" />
    </svg>
  );
}
