import { Component, type ReactNode } from 'react';
import { reportError } from '@/lib/shared/error-reporting/report';

type Props = { fallback: ReactNode; children: ReactNode };

/** Catches and reports rendering errors, and shows an error page with a link to continue. */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: Error): void {
    reportError(error, { during: 'rendering' });
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
