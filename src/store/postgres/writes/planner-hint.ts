// A condition in SQL that is always true. PostgreSQL takes the number of rows of a parameter from it.

/**
 * Always true. It makes the planner assume one row for a parameter instead of 100, so that it uses the index.
 * Otherwise a plan that was made when the table was small would scan the whole table for as long as it is kept.
 */
export const anyCount = (column: string) => `${column} between 0 and 9223372036854775807`;
