// The reviews, by the member of `/reviews` that each fills.
import { reviewDependencies } from './dependencies.js';
import { reviewLanguages } from './languages.js';
import { reviewLargestFiles } from './largest-files.js';
import type { Review } from './review.js';
import { reviewTestRatio } from './test-ratio.js';
import { reviewTodos } from './todos.js';

export const REVIEWS: Readonly<Record<string, Review>> = {
  languages: reviewLanguages,
  largest_files: reviewLargestFiles,
  todos: reviewTodos,
  dependencies: reviewDependencies,
  test_ratio: reviewTestRatio,
};
