import styles from './doorway.module.css';

/** The picture of the split screen: a path to an open door, in flat shapes of the brand's colour. */
export function Doorway() {
  return (
    <svg
      className={styles.picture}
      viewBox="0 0 640 1120"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="640" height="1120" className={styles.wall} />
      <g transform="translate(0 220)">
        <circle cx="540" cy="150" r="46" className={styles.sun} />
        <path d="M0 610c120-70 250-84 380-58s190 18 260-22v370H0z" className={styles.far} />
        <path d="M176 760V392a144 144 0 0 1 288 0v368z" className={styles.frame} />
        <path d="M206 760V394a114 114 0 0 1 228 0v366z" className={styles.light} />
        <path d="M206 760V394a114 114 0 0 1 96-112.6V812l-96-52z" className={styles.door} />
        <circle cx="284" cy="556" r="8" className={styles.sun} />
        <path d="M0 760h640v140H0z" className={styles.floor} />
        <path d="M302 760h132l126 140H116z" className={styles.path} />
        <path
          d="M64 760V640m0 34c-34 0-40-26-40-48 30 0 40 20 40 48zm0 40c34 0 42-28 42-52-32 0-42 24-42 52z"
          className={styles.plant}
        />
        <path d="M522 760v-92h70v92z" className={styles.frame} />
        <path d="M534 668v-26h48v26zm-6-26v-22h58v22z" className={styles.book} />
      </g>
    </svg>
  );
}
