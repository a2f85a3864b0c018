import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Quote, QuoteRequest } from './provider.js';

/** After this time, a quote that has not arrived is requested again. */
const PENDING_SECONDS = 60;
/** The time for which the answer that a component is unavailable stays valid. */
const UNAVAILABLE_SECONDS = 60;

/** A quote that took too long: null while it is expected. */
interface LateQuote {
  quote: Quote | null;
}

/** Stores quotes that arrive after their request was answered, one per component, until it expires. */
@Injectable()
export class LateQuotesService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Quotes by component, for the same product and quantity. */
  async find(requests: readonly QuoteRequest[]): Promise<Map<string, LateQuote>> {
    if (requests.length === 0) return new Map();
    const rows = await this.database.query<{ id: string; quote: StoredQuote | null }>(
      `select q.component_id as id, q.quote from provider_quotes q
       join jsonb_to_recordset($1::jsonb) as r (id text, request jsonb) on r.id = q.component_id and r.request = q.request
       where q.expires_at > $2`,
      [JSON.stringify(requests.map((one) => ({ id: one.componentId, request: keyOf(one) }))), this.clock.now()],
    );
    return new Map(rows.map(({ id, quote }) => [id, { quote: quote && readQuote(quote) }]));
  }

  /** Stores that the quote is expected, and stores it when it arrives. If the call fails, it is made again by the next pricing. */
  async expect(request: QuoteRequest, call: Promise<Quote>): Promise<void> {
    await this.store(request, null, this.clock.inSeconds(PENDING_SECONDS));
    const stored = call.then(
      async (quote) =>
        this.store(request, quote, quote.available ? quote.expiresAt : this.clock.inSeconds(UNAVAILABLE_SECONDS)),
      async () => this.store(request, null, this.clock.now()),
    );
    // The expected quote expires.
    stored.catch(() => undefined);
  }

  private async store(request: QuoteRequest, quote: Quote | null, expiresAt: Date): Promise<void> {
    const values = [request.componentId, JSON.stringify(keyOf(request)), quote && JSON.stringify(quote), expiresAt];
    await this.database.apart(async () =>
      this.database.execute(
        `insert into provider_quotes (component_id, request, quote, expires_at) values ($1, $2::jsonb, $3::jsonb, $4)
         on conflict (component_id) do update set request = excluded.request, quote = excluded.quote,
           expires_at = excluded.expires_at`,
        values,
      ),
    );
  }
}

/** A quote in JSON. */
type StoredQuote =
  | (Omit<Extract<Quote, { available: true }>, 'expiresAt'> & { expiresAt: string })
  | Extract<Quote, { available: false }>;

function readQuote(stored: StoredQuote): Quote {
  return stored.available ? { ...stored, expiresAt: new Date(stored.expiresAt) } : stored;
}

/** The day is missing, because the provider determines it. */
function keyOf({ providerRef, quantity, currency }: QuoteRequest): object {
  return { providerRef, quantity, currency };
}
