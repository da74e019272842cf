type Send = (event?: { preventDefault: () => void }) => void;

/** How long after its answer a press still belongs to the code that sent itself, in milliseconds. */
const SAME_PRESS = 1_000;

/**
 * A code sends itself when complete, and is often sent by hand as well, a moment later: that press must not cost a
 * second try.
 */
export class SelfSending {
  private state: 'by-hand' | 'sent-itself' | { answeredAt: number } = 'by-hand';

  /** The code is complete. */
  complete(send: Send): void {
    this.state = 'sent-itself';
    send();
  }

  /** The call has been answered. */
  answered(now = Date.now()): void {
    if (this.state === 'sent-itself') this.state = { answeredAt: now };
  }

  /** The button, or Enter, was pressed. */
  press(send: Send, event: { preventDefault: () => void }, now = Date.now()): void {
    event.preventDefault();
    const isSamePress = typeof this.state === 'object' && now - this.state.answeredAt <= SAME_PRESS;
    this.state = 'by-hand';
    if (!isSamePress) send();
  }
}
