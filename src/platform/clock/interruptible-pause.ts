/** A pause that can be interrupted. An interruption between two pauses ends the second one. */
export class InterruptiblePause {
  private interrupted = false;
  private wake: (() => void) | null = null;

  interrupt(): void {
    this.interrupted = true;
    this.wake?.();
  }

  /** Waits up to this many milliseconds and returns whether it was interrupted. Leaves no timer behind. */
  async wait(milliseconds: number): Promise<boolean> {
    if (!this.interrupted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.wake = null;
    }
    const { interrupted } = this;
    this.interrupted = false;
    return interrupted;
  }
}
