import { Component, type ReactNode } from 'react';
import { reportError } from '@/lib/sentry/report';

type Props = { fallback: ReactNode; children: ReactNode };

/** Catches what a screen throws while rendering, reports it, and shows a page with a way on. */
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
