type Close = () => Promise<void>;

const running = new Set<Close>();

/** Has the harness call `close` after the last test of the file, unless it was called before. */
export function closeAfterTests(close: Close): Close {
  const once = async () => {
    if (running.delete(once)) await close();
  };
  running.add(once);
  return once;
}

/** Closes what is still open, newest first. */
export async function closeRunning(): Promise<void> {
  for (const close of [...running].reverse()) await close();
}
