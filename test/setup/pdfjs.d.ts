/* The parts of pdfjs-dist that tests use; its own types would declare the browser's globals in every file. */
declare module 'pdfjs-dist/legacy/build/pdf.mjs' {
  interface Page {
    getTextContent(): Promise<{ items: readonly { str?: string }[] }>;
  }

  export function getDocument(source: { data: Uint8Array; verbosity: number }): {
    promise: Promise<{ numPages: number; getPage(number: number): Promise<Page> }>;
  };
}
