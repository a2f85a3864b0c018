import { SetMetadata } from '@nestjs/common';

export const EXPENSIVE_READ = 'expensive-read';

/** The route reads much: all of them together use a quarter of the database connections of a process, one caller two of them. */
export function ExpensiveRead(): MethodDecorator {
  return SetMetadata(EXPENSIVE_READ, true);
}
