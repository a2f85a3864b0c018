/**
 * Knows the currency in which the organization keeps its accounts. The module of the accounts implements it with
 * `@Listens(BaseCurrency, ...)`, so that modules below it can show the currency.
 */
export abstract class BaseCurrency {
  /** An ISO 4217 code. */
  abstract baseCurrency(): Promise<string>;
}
