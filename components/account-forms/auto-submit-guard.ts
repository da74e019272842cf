type Send = (event?: { preventDefault: () => void }) => void;

/** How long after its response a click still counts as part of the automatic submit, in milliseconds. */
const SAME_PRESS = 1_000;

/**
 * A complete code is submitted automatically, and users often also submit it a moment later: that click must not use up
 * a second attempt.
 */
export class AutoSubmitGuard {
  private state: 'by-hand' | 'sent-itself' | { answeredAt: number } = 'by-hand';

  /** The code is complete. */
  complete(send: Send): void {
    this.state = 'sent-itself';
    send();
  }

  /** The response has arrived. */
  answered(now = Date.now()): void {
    if (this.state === 'sent-itself') this.state = { answeredAt: now };
  }

  /** The user clicked the button or pressed Enter. */
  press(send: Send, event: { preventDefault: () => void }, now = Date.now()): void {
    event.preventDefault();
    const isSamePress = typeof this.state === 'object' && now - this.state.answeredAt <= SAME_PRESS;
    this.state = 'by-hand';
    if (!isSamePress) send();
  }
}
