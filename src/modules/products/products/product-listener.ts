/**
 * Called for changes of a product or a price list, in their transaction; a product is locked. An error rejects the change.
 * Implementations declare `@Listens(ProductListener, ...)`.
 */
export abstract class ProductListener {
  /** The product is about to be archived. Throws 409 if it is in use. */
  archiving?(productId: string): Promise<void>;
  /** The product gets this meeting point. Throws 404 or 409 unless it can be used. */
  facilityChosen?(facilityId: string): Promise<void>;
  /** A price list gets this channel. Throws 404 or 409 unless it can be used. */
  channelChosen?(channelId: string): Promise<void>;
  /** Prices of these products were put on sale or taken from it. */
  pricesChanged?(productIds: readonly string[]): Promise<void>;
  /** A price list is about to become a draft again; no sale reads it meanwhile. Throws 409 if its prices were sold. */
  priceListWithdrawn?(priceListId: string): Promise<void>;
  /** Answers to a question get another protection (`sensitive`, `healthData`). Throws 409 if there are any. */
  protectionChanged?(questionId: string): Promise<void>;
  /** Units are priced for this channel. Throws 404 or 409 unless it sells. */
  channelSelling?(channelId: string): Promise<void>;
}
