/* What tests read of a PDF; pdfjs-dist's own types bring the browser's globals into every file. */
declare module 'pdfjs-dist/legacy/build/pdf.mjs' {
  interface Page {
    getTextContent(): Promise<{ items: readonly { str?: string }[] }>;
  }

  export function getDocument(source: { data: Uint8Array; verbosity: number }): {
    promise: Promise<{ numPages: number; getPage(number: number): Promise<Page> }>;
  };
}
