/**
 * Stands in for an AI provider that answers from the command line: reads the question on its input, and
 * writes an answer word by word. Argument: milliseconds between two words.
 */
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const ANSWER =
  "Because water is odd: when it freezes, its molecules hold each other at arm's length, in a lattice " +
  "with more room in it than they need as a liquid. So a piece of ice weighs less than the water whose " +
  "place it takes, and floats; ponds freeze from above, and what lives below lives on. 🧊";

const pauseMs = Number(process.argv[2]);
await text(process.stdin);
for (const word of ANSWER.split(/(?<= )/)) {
  process.stdout.write(word);
  await sleep(pauseMs);
}
