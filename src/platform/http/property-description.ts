import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

/**
 * In @nestjs/swagger `description` overrides the doc comment, so a default has another name until the document is finished.
 */
const DEFAULT_DESCRIPTION = 'x-default-description';

/** `ApiProperty` with a description that applies unless a doc comment above the property gives one. */
export function DocumentedAs(
  schema: ApiPropertyOptions,
  description: string | ((property: string) => string),
): PropertyDecorator {
  return (target, key) => {
    const text = typeof description === 'string' ? description : description(String(key));
    const extended: Record<string, unknown> = { ...schema, [DEFAULT_DESCRIPTION]: text };
    ApiProperty(extended)(target, key);
  };
}

/** Applies the default descriptions of a finished document to properties without a description. */
export function applyDefaultDescriptions(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  if (DEFAULT_DESCRIPTION in node) {
    const { [DEFAULT_DESCRIPTION]: text, ...rest } = node as { [DEFAULT_DESCRIPTION]: unknown; description?: string };
    Reflect.deleteProperty(node, DEFAULT_DESCRIPTION);
    if (rest.description === undefined) Object.assign(node, { description: text });
  }
  for (const member of Object.values(node)) applyDefaultDescriptions(member);
}

/** `bookingItemId` -> `booking item`. */
export function nounOf(property: string): string {
  return property
    .replace(/Ids?$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase();
}
