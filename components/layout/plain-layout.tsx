import Head from 'next/head';
import type { ReactNode } from 'react';
import styles from './auth-layout.module.css';
import { Mark } from './mark';

type Props = { heading: string; lead: string; children: ReactNode };

/** The frame of pages that must stand without configuration: not found, and failures. */
export function PlainLayout({ heading, lead, children }: Props) {
  return (
    <div className={styles.page}>
      <Head>
        <title>{heading}</title>
      </Head>
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
  );
}
