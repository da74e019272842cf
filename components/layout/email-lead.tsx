import { toDisplayEmail } from '@/lib/shared/display-domain';
import styles from './flow.module.css';

/** A page's lead that ends with an email address, which may be long. */
export function EmailLead({ text, email }: { text: string; email: string }) {
  return (
    <>
      <span>{`${text} `}</span>
      <strong className={styles.address} dir="ltr">
        {toDisplayEmail(email)}
      </strong>
    </>
  );
}
