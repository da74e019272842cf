import styles from './split-screen-art.module.css';

/** The picture of the split screen: a path to an open door, in flat shapes of the brand's color. */
export function SplitScreenArt() {
  return (
    <svg
      className={styles.picture}
      viewBox="-180 -300 1000 1200"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
      focusable="false"
    >
      <rect x="-1200" y="-1200" width="3200" height="2200" className={styles.wall} />
      <circle cx="640" cy="130" r="54" className={styles.sun} />
      <path d="M-1200 640c500 40 760-60 1200-90s430 30 640 10 700-60 1360-30v400h-3200z" className={styles.far} />
      <path d="M176 760V392a144 144 0 0 1 288 0v368z" className={styles.frame} />
      <path d="M206 760V394a114 114 0 0 1 228 0v366z" className={styles.light} />
      <path d="M206 760V394a114 114 0 0 1 96-112.6V812l-96-52z" className={styles.door} />
      <circle cx="284" cy="556" r="8" className={styles.sun} />
      <path d="M-1200 760h3200v240h-3200z" className={styles.floor} />
      <path d="M302 760h132l154 240H70z" className={styles.path} />
      <path d="M206 760l96 52V700h-40z" className={styles.door} />
      <path d="M24 760V610" className={styles.stem} />
      <path
        d="M24 674c-36 0-44-28-44-52 34 0 44 22 44 52zm0 48c36 0 46-30 46-56-36 0-46 26-46 56z"
        className={styles.plant}
      />
      <path d="M530 736h124v24H530z" className={styles.frame} />
      <path d="M542 710h100v26H542z" className={styles.book} />
      <path d="M536 688h92v22h-92z" className={styles.sun} />
    </svg>
  );
}
