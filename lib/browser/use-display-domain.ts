import { useEffect, useState } from 'react';

/**
 * A domain as its owner writes it. The rules for that are loaded only when the domain has an encoded label (`xn--…`);
 * if they cannot be loaded, it stays in its ASCII form.
 * @returns null for no domain, and until the rules are loaded
 */
export function useDisplayDomain(domain: string | null): string | null {
  const [written, setWritten] = useState<{ domain: string; text: string } | null>(null);
  const encoded = domain !== null && /(?:^|\.)xn--/.test(domain) ? domain : null;
  useEffect(() => {
    if (encoded === null) return;
    import('@/lib/shared/display-domain').then(
      ({ toDisplayDomain }) => setWritten({ domain: encoded, text: toDisplayDomain(encoded) }),
      () => setWritten({ domain: encoded, text: encoded }),
    );
  }, [encoded]);
  if (encoded === null) return domain;
  return written?.domain === encoded ? written.text : null;
}
