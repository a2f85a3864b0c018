import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage, IsInt, Min, validate } from 'class-validator';
import { cacheValidationMetadata } from './validation-metadata-cache.js';

class Parent {
  @IsInt()
  count: unknown;
}

class Child extends Parent {
  @Min(3)
  size: unknown;
}

const constraintsOf = async (object: object) =>
  (await validate(object)).flatMap(({ constraints }) => Object.keys(constraints ?? {})).sort();

describe('the validation metadata of a class', () => {
  it('the validation metadata of a class is read once per class, including inherited metadata', async () => {
    const storage = getMetadataStorage();
    const find = storage.getTargetValidationMetadatas.bind(storage);
    const asked: unknown[] = [];
    storage.getTargetValidationMetadatas = (target, ...rest) => {
      asked.push(target);
      return find(target, ...rest);
    };
    cacheValidationMetadata(storage);

    for (let time = 0; time < 3; time += 1) {
      expect(await constraintsOf(Object.assign(new Parent(), { count: 1.5 }))).toEqual(['isInt']);
      expect(await constraintsOf(Object.assign(new Child(), { count: 1.5, size: 2 }))).toEqual(['isInt', 'min']);
      expect(await constraintsOf(Object.assign(new Child(), { count: 1, size: 3 }))).toEqual([]);
    }
    expect(asked).toEqual([Parent, Child]);
  });
});
