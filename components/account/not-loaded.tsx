import { useState, type ComponentType, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { lazyWithFallback } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';

/** `failures`: number of failures, so that each is announced. `children`: the retry button. */
type FrameProps = { failures: number; children: ReactNode };

/**
 * A part of the page that is loaded when it is first rendered. If that fails, a message with a retry button replaces
 * it. The bundler's runtime retries a failed script, but React keeps the failure.
 * @param Frame renders the message around the button
 */
export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  Frame: ComponentType<P & FrameProps> = NotLoaded,
) {
  let loaded: ComponentType<P> | null = null;
  return lazyWithFallback(load, function LoadAgain(props: P) {
    const { t } = useMessages('security');
    const [Part, setPart] = useState(() => loaded);
    const [failures, setFailures] = useState(1);
    const [isBusy, setIsBusy] = useState(false);
    if (Part) return <Part {...props} />;
    const loadAgain = async (button: HTMLElement) => {
      setIsBusy(true);
      try {
        loaded = (await load()).default;
        // The focused button is removed.
        button.closest<HTMLElement>('[role="group"]')?.focus();
        setPart(() => loaded);
      } catch {
        setFailures(failures + 1);
        setIsBusy(false);
      }
    };
    return (
      <Frame {...props} failures={failures}>
        <Button
          kind="secondary"
          busy={isBusy}
          busyLabel={t('proof.working')}
          onClick={(event) => void loadAgain(event.currentTarget)}
        >
          {t('tryAgain')}
        </Button>
      </Frame>
    );
  });
}

function NotLoaded({ failures, children }: FrameProps) {
  const { t } = useMessages('common');
  return (
    <>
      <Notice key={failures} tone="error">
        {t('form.broken')}
      </Notice>
      {children}
    </>
  );
}
