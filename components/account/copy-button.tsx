import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './security.module.css';

/** Copies a text, and says whether that worked. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useMessages('two-step-verification');
  const [result, setResult] = useState<'none' | 'copied' | 'failed'>('none');
  const copy = async () => {
    setResult('none');
    try {
      await navigator.clipboard.writeText(text);
      setResult('copied');
    } catch {
      setResult('failed');
    }
  };
  return (
    <>
      <Button kind="quiet" onClick={() => void copy()}>
        {label}
      </Button>
      <span className={styles.soft} role="status">
        {result === 'copied' && t('copied')}
        {result === 'failed' && t('copyFailed')}
      </span>
    </>
  );
}
