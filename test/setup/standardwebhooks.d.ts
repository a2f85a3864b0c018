/* The parts of standardwebhooks that tests use; its own types need the library of the DOM. */
declare module 'standardwebhooks' {
  export class Webhook {
    constructor(secret: string);
    sign(id: string, at: Date, payload: string): string;
    /** Throws unless a signature is right and the time is near. */
    verify(payload: string, headers: Record<string, string>): unknown;
  }
}
