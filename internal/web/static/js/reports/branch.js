import { folded } from "../folding.js";

const most = 60; // characters

/**
 * branchOf returns a name for the branch of a report: its reference and the first words of its title, as far as they are letters of git.
 * @param {string} reference
 * @param {string} title
 */
export function branchOf(reference, title) {
  let name = reference.toLowerCase();
  for (const word of folded(title).split(/[^a-z0-9]+/).filter(Boolean)) {
    if (name.length + 1 + word.length > most) break;
    name += `-${word}`;
  }
  return name;
}
