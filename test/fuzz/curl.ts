import type { WireRequest } from './request.js';

/** Longer bodies are replaced by their length; `--case` sends them again. */
const SHOWN_BYTES = 3_000;

/** The request as a shell command; credentials are variables in it. */
export function curlOf({ method, target, headers, body }: WireRequest, url: string): string {
  const isGiven = ([name]: [string, string]) => name !== 'Host' && name !== 'Content-Length';
  const head = headers.filter(isGiven).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const path = quoted(`${url}${target}`);
  const curl = ['curl -sS -i --path-as-is -g', `-X ${quoted(method)}`, path, ...head];
  if (body === null) return curl.join(' ');
  if (body.length > SHOWN_BYTES) return [...curl, `--data-binary <${body.length} bytes: use --case>`].join(' ');
  return `printf ${quoted(octal(body))} | ${[...curl, '--data-binary @-'].join(' ')}`;
}

/** Puts the text in single quotes; the variable of a credential is not quoted. */
function quoted(text: string): string {
  const plain = text.replace(/'/g, `'\\''`).replace(/[\u0000-\u001f\u007f-\u00ff]/g, (sign) => {
    return `'$'\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}''`;
  });
  return `'${plain.replace(/\$(STAFF|PLATFORM|LIMITED)_TOKEN/, `'"$&"'`)}'`;
}

/**
 * Escapes bytes for printf in octal: those that are not visible ASCII, and characters with a meaning for printf or the shell.
 */
function octal(bytes: Buffer): string {
  return Array.from(bytes, (byte) => {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x25 && byte !== 0x27 && byte !== 0x5c;
    return isPlain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }).join('');
}
