// Colours: quiet ones for bodies, one scale for numbers, fixed ones for states.

import { Color } from "three";

const kBodies = ["#c9b79c", "#b9a78f", "#d3c4ad", "#a8b5ba", "#bfc8c6", "#c4a58f"].map((text) => new Color(text));
const kScale = ["#30437a", "#2f7f9e", "#5cb58c", "#e4cf63", "#dd7a3c", "#b3262b"].map((text) => new Color(text));

export const kObstacle = new Color("#8d969e");
export const kPlane = new Color("#e9edf0");
export const kAsleep = new Color("#5d6f95");
export const kAwake = new Color("#e0a458");
export const kPicked = new Color("#ff7a1a");
export const kNoValue = new Color("#c9ced3");
/** Open, sticks, slips, pressed or bilateral. */
export const kStateColours = ["#a3abb2", "#2f7f9e", "#d9622b", "#6b7f4e"].map((text) => new Color(text));

/** One of a few, the same for a body at all times. */
export function bodyColour(body: number): Color {
  return kBodies[(Math.imul(body + 1, 2654435761) >>> 8) % kBodies.length];
}

/** Of an island: hues far apart for numbers that follow each other. */
export function islandColour(island: number, into: Color): Color {
  return into.setHSL((island * 0.618034) % 1, 0.45, 0.58);
}

/** 0 … 1 along the scale. */
export function scaleColour(share: number, into: Color): Color {
  const at = Math.min(Math.max(share, 0), 1) * (kScale.length - 1), low = Math.min(Math.floor(at), kScale.length - 2);
  return into.lerpColors(kScale[low], kScale[low + 1], at - low);
}

/** Of a residual: 1e-12 … 1e-2 on a logarithmic scale. */
export function residualShare(residual: number): number {
  return residual > 0 ? (Math.log10(residual) + 12) / 10 : 0;
}

export function scaleGradient(): string {
  return `linear-gradient(90deg, ${kScale.map((colour) => `#${colour.getHexString()}`).join(", ")})`;
}
