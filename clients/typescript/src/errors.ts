import type { ErrorCode } from './schema.js';

/** A member of a request that is invalid. */
export interface Issue {
  path: string;
  message: string;
  code: string;
  params?: Record<string, unknown>;
}

/** An answer of the service with status 400 or above. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    /** Stable, unlike the message; null on surfaces without codes. Later versions of the service have further codes. */
    readonly code: ErrorCode | (string & {}) | null,
    /** Names the request in the log of the service. */
    readonly requestId: string | null,
    readonly details: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }

  /** The invalid members of the request; empty unless the code is `invalid_request`. */
  get issues(): readonly Issue[] {
    const { issues } = this.details;
    return Array.isArray(issues) ? (issues as Issue[]) : [];
  }

  /** Whether the error has one of these codes. */
  is(...codes: ErrorCode[]): boolean {
    return codes.some((code) => code === this.code);
  }
}

/** The members of the error bodies of all surfaces. */
interface ErrorBody {
  error?: unknown;
  message?: unknown;
  code?: unknown;
  details?: Record<string, unknown>;
}

export function apiError(response: Response, body: unknown): ApiError {
  const { error, message, code, details = {} } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const text = [error, message].find((one) => typeof one === 'string') as string | undefined;
  return new ApiError(
    response.status,
    text ?? `The service answered ${response.status}`,
    typeof code === 'string' ? code : null,
    response.headers.get('X-Request-Id'),
    details,
  );
}

/** The answer of an operation: its data, or its error. */
interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of a successful answer. Throws `ApiError` for any other. */
export async function dataOf<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw apiError(response, error);
  return data as T;
}
