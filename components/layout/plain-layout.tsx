import type { ReactNode } from 'react';
import { PageTitle } from '@/components/ui/page-title';
import styles from './auth-layout.module.css';
import { Mark } from './mark';

type Props = { heading: string; lead: string; children: ReactNode };

/** The layout of pages that must work without configuration: not found, and errors. */
export function PlainLayout({ heading, lead, children }: Props) {
  return (
    <PageTitle title={heading}>
      <div className={styles.page}>
        <div className={styles.column}>
          <header className={styles.header}>
            <Mark brandName="" logo={undefined} />
          </header>
          <main className={styles.main}>
            <div className={styles.intro}>
              <h1>{heading}</h1>
              <p className={styles.lead}>{lead}</p>
            </div>
            {children}
          </main>
        </div>
      </div>
    </PageTitle>
  );
}
