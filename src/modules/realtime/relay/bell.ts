/** A pause that somebody may cut short. A ring that nobody waits for is not lost: it cuts the next pause. */
export class Bell {
  private rung = false;
  private wake: (() => void) | null = null;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Waits for a ring, at most so many milliseconds; says whether one came. Leaves no timer behind. */
  async wait(milliseconds: number): Promise<boolean> {
    if (!this.rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.wake = null;
    }
    const { rung } = this;
    this.rung = false;
    return rung;
  }
}
