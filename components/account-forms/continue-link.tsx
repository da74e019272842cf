import { ButtonLink } from '@/components/ui/button';
import { goToCallback } from '@/lib/browser/callback';
import { usePublicEnv } from '@/lib/browser/config/context';

/**
 * Leads a signed-in learner on. It is a plain link, so that it works before hydration.
 * @param props `destination`: according to the server. The browser's own storage takes precedence
 */
export function ContinueLink({ destination, label }: { destination: string; label: string }) {
  const env = usePublicEnv();
  return (
    <ButtonLink
      kind="primary"
      href={destination}
      onClick={(event) => {
        event.preventDefault();
        goToCallback(env);
      }}
    >
      {label}
    </ButtonLink>
  );
}
