// Determines which values documents of a schema can have, and where. Whatever is not provably excluded is possible.
export { ruledOut } from './terms.js';
export { exampleWrites, type PossibleIn } from './write.js';
