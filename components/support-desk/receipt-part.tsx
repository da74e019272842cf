import { useEffect, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { downloadFile } from '@/lib/browser/download-file';
import type { Receipt } from '@/lib/shared/support/desk';
import { ACTION_TEXTS } from './action-texts';
import { displayMoment } from './moment';
import styles from './desk.module.css';

/** The proof of a deletion. No record of the account remains, so the operator has to keep it. */
export function ReceiptPart({ receipt }: { receipt: Receipt }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { uid, deletedAt, deleted, emailed } = receipt;
  return (
    <div className={styles.part}>
      <h4 ref={heading} tabIndex={-1}>
        {ACTION_TEXTS.delete.done}
      </h4>
      <p>This is the receipt for the person. Keep it with the ticket, because no record of the account remains.</p>
      <dl className={styles.facts}>
        <div>
          <dt>Account id</dt>
          <dd>{uid}</dd>
        </div>
        <div>
          <dt>Deleted</dt>
          <dd>
            <ul>
              {deleted.map((part) => (
                <li key={part}>{part}</li>
              ))}
            </ul>
          </dd>
        </div>
        <div>
          <dt>At</dt>
          <dd>
            <time dateTime={deletedAt}>{displayMoment(deletedAt)}</time>
          </dd>
        </div>
        <div>
          <dt>Last email</dt>
          <dd>{emailed ? 'on its way to the owner' : 'none, because the account had no email'}</dd>
        </div>
      </dl>
      <Button
        kind="secondary"
        onClick={() => downloadFile(`receipt-${uid}.json`, JSON.stringify(receipt, null, 2), 'application/json')}
      >
        Save the receipt
      </Button>
    </div>
  );
}
