// A grid on the ground, drawn by a shader: lines stay one pixel wide and fade away from the middle.

import { Mesh, PlaneGeometry, ShaderMaterial, Vector2 } from "three";

const kVertex = `
varying vec2 place;
void main() {
  vec4 inSpace = modelMatrix * vec4(position, 1.0);
  place = inSpace.xy;
  gl_Position = projectionMatrix * viewMatrix * inSpace;
}`;

const kFragment = `
uniform float cell, reach;
uniform vec2 middle;
varying vec2 place;
float lines(float spacing) {
  vec2 at = place / spacing, width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / width;
  float coarse = max(width.x, width.y);
  return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.1, 0.5, coarse));
}
void main() {
  float fade = 1.0 - smoothstep(0.1, 0.5, distance(place, middle) / reach);
  gl_FragColor = vec4(0.36, 0.42, 0.46, fade * max(0.22 * lines(cell), 0.42 * lines(10.0 * cell)));
}`;

/** A square of edge 1 about its position; its uniforms `cell`, `reach` and `middle` are in m. */
export function groundGrid(): Mesh<PlaneGeometry, ShaderMaterial> {
  const material = new ShaderMaterial({
    vertexShader: kVertex, fragmentShader: kFragment, transparent: true, depthWrite: false,
    uniforms: { cell: { value: 1 }, reach: { value: 10 }, middle: { value: new Vector2() } },
  });
  return new Mesh(new PlaneGeometry(1, 1), material);
}
