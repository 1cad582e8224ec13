// The part of the program that a client command needs; the build makes one file of it.
export { runClientCommand } from '../cli/run-cli.js';
