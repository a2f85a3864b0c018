import { Injectable, type PipeTransform } from '@nestjs/common';
import { notFound } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';
import { demoId } from '../../../platform/ids/id.js';
import { PRODUCT_ID } from './product.entity.js';

@Injectable()
class ProductIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!PRODUCT_ID.test(value)) throw notFound();
    return value;
  }
}

/** The path parameter with the id of a product. `demo` is the number of the demo product in the API document. */
export function ProductPathId(demo = 1): ParameterDecorator {
  const rule = {
    description: 'ID of the product.',
    maxLength: 128,
    pattern: PRODUCT_ID,
    example: demoId('prod', demo),
  };
  return PathText('productId', rule, new ProductIdPipe());
}
