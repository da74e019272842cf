import { useBrand } from '@/lib/browser/config/context';
import styles from './mark.module.css';

/** The brand's mark and name, or its own logo if it has one. */
export function Mark() {
  const { name, logo } = useBrand();
  return (
    <span className={styles.mark}>
      {logo === undefined ? (
        <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
          <rect width="32" height="32" rx="8" fill="var(--accent)" />
          <path d="M9 25V14a7 7 0 0 1 14 0v11h-4.2V14a2.8 2.8 0 0 0-5.6 0v11z" fill="var(--on-accent)" />
          <path d="M7 25h18v2H7z" className={styles.threshold} />
        </svg>
      ) : (
        // oxlint-disable-next-line nextjs/no-img-element -- a brand's logo comes from anywhere, at its own size
        <img src={logo} alt="" height="32" className={styles.logo} />
      )}
      <span className={styles.name}>{name}</span>
    </span>
  );
}
